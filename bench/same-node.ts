// The built offshoot as it would be installed for the Node that qmd runs on: how long a bare Node takes to start differs between
// versions by more than a search takes. Its SQLite module is qmd's, because ours is compiled for the Node that runs the benchmark.
import { cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
// @ts-expect-error a plain script without types
import { ensureQmd, findQmdNode } from '../scripts/test-setup.mjs'
import { repo, runProcess } from './measure.ts'

export interface Installed {
  readonly node: string
  readonly version: string
  /** bin/offshoot.js. */
  readonly program: string
}

const qmdFolder = fileURLToPath(new URL('../test/real/qmd-agent', import.meta.url))
const nativePackage = 'better-sqlite3'

export async function installOnQmdNode(folder: string): Promise<Installed> {
  await ensureQmd(qmdFolder)
  const node = String(findQmdNode(qmdFolder))
  const modules = join(folder, 'node_modules')
  mkdirSync(modules, { recursive: true })
  for (const name of ['bin', 'dist', 'models', 'package.json']) cpSync(join(repo, name), join(folder, name), { recursive: true })
  for (const name of readdirSync(join(repo, 'node_modules')).filter((each) => each !== nativePackage)) {
    symlinkSync(join(repo, 'node_modules', name), join(modules, name))
  }
  symlinkSync(join(qmdFolder, 'node_modules', nativePackage), join(modules, nativePackage))
  const { stdout } = await runProcess({ argv: [node, '-p', 'process.versions.node'] })
  return { node, version: stdout.trim(), program: join(folder, 'bin', 'offshoot.js') }
}
