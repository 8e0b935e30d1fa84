// Puts a stand-in program onto a PATH of its own, and tells what it was asked and what it took offence at.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface StandIn {
  /** To go before the PATH of who calls it. */
  readonly bin: string
  /** One JSON value per call. */
  calls(): unknown[]
  /** Calls that the real program does not document. */
  violations(): string
  /** From now on it fails with these words; `null`: it works again. */
  say(words: string | null): void
  /** A file by which a test tells it something. */
  tell(name: string, content: string | null): void
  told(name: string): string | null
}

export function createStandIn(root: string, name: 'wezterm' | 'osascript'): StandIn {
  const bin = join(root, 'bin')
  const program = fileURLToPath(new URL(`./stand-in-${name}.mjs`, import.meta.url))
  mkdirSync(bin, { recursive: true })
  const vars = [`STAND_IN_FOLDER='${root}'`, `STAND_IN_PATH='${process.env.PATH ?? ''}'`]
  writeFileSync(join(bin, name), `#!/bin/sh\n${vars.join(' ')} exec '${process.execPath}' '${program}' "$@"\n`, { mode: 0o755 })
  writeFileSync(join(root, 'gui-sock'), '')
  const read = (file: string) => (existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8') : null)
  const tell: StandIn['tell'] = (file, content) =>
    content === null ? rmSync(join(root, file), { force: true }) : writeFileSync(join(root, file), content)
  return {
    bin,
    tell,
    told: read,
    say: (words) => tell('says', words),
    violations: () => read('violation') ?? '',
    calls: () =>
      (read('calls') ?? '')
        .split('\n')
        .filter(Boolean)
        .map((line): unknown => JSON.parse(line)),
  }
}
