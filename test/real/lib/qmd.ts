// The real qmd on the Node it needs, as a folder to put first on PATH; and small programs in its place for what it does when it
// fails.
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
// @ts-expect-error a plain script without types
import { findQmdNode } from '../../../scripts/test-setup.mjs'

const installed = fileURLToPath(new URL('../qmd-agent', import.meta.url))
const program = join(installed, 'node_modules', '@tobilu', 'qmd', 'bin', 'qmd')

export interface QmdOnPath {
  /** A PATH with qmd first. */
  readonly path: string
  /** Puts a shell script in its place. */
  fake(script: string): void
  real(): void
  /** What `node` is for it. */
  node(program: string): void
}

export function putQmdOnPath(folder: string): QmdOnPath {
  mkdirSync(folder, { recursive: true })
  const node: unknown = findQmdNode(installed)
  if (typeof node !== 'string') throw new Error(`qmd is not in ${installed}: npm test installs it`)
  const place = (name: string, target: string) => {
    rmSync(join(folder, name), { force: true })
    symlinkSync(target, join(folder, name))
  }
  place('qmd', program)
  place('node', node)
  return {
    path: `${folder}:/usr/local/bin:/usr/bin:/bin`,
    fake(script) {
      rmSync(join(folder, 'qmd'), { force: true })
      writeFileSync(join(folder, 'qmd'), `#!/bin/sh\n${script}\n`)
      chmodSync(join(folder, 'qmd'), 0o755)
    },
    real: () => place('qmd', program),
    node: (target) => place('node', target),
  }
}
