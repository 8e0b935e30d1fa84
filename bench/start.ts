// What `npm start` adds to the bare command on an unchanged tree, with npm and without.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Command, compare, offshoot, repo } from './measure.ts'
import { ms, printTable } from './table.ts'

const allowedMs = 300
/** What is left of that when npm has taken its own share. */
const allowedOwnMs = 150

export async function run(): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'offshoot-bench-'))
  const env = {
    HOME: home,
    CLAUDE_CONFIG_DIR: join(home, 'claude'),
    CODEX_HOME: join(home, 'codex'),
    OFFSHOOT_HOME: join(home, 'offshoot'),
  }
  try {
    const bare: Command = { argv: [process.execPath, offshoot, 'sessions'], env, cwd: repo }
    const script: Command = { argv: [process.execPath, join(repo, 'scripts', 'start.mjs'), 'sessions'], env, cwd: repo }
    const npm: Command = { argv: ['npm', 'start', '--', 'sessions'], env, cwd: repo }
    const whole = await compare(npm, bare, 9)
    const own = await compare(script, bare, 9)
    const added = whole.ours - whole.peer
    const ownAdded = Math.max(1, own.ours - own.peer)
    printTable('start: what npm start adds to the bare command, beside what is allowed', [
      { what: 'npm start -- sessions', ours: `+${ms(added)}`, peer: ms(allowedMs), ratio: allowedMs / added, wanted: 1 },
      {
        what: 'node scripts/start.mjs sessions',
        ours: `+${ms(ownAdded)}`,
        peer: ms(allowedOwnMs),
        ratio: allowedOwnMs / ownAdded,
        wanted: 1,
      },
    ])
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}
