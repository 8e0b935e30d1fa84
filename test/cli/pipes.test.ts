// A pipe or a device where a file is expected: every command ends all the same, and says what it can.
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sampleIds } from '../../src/cli/demo/sample-sessions.ts'
import { bin, createFixture, type Fixture } from './run-cli.ts'

let home: Fixture
let transcript: string
beforeAll(async () => {
  home = await createFixture()
  const { sessions } = await home.json<{ sessions: { id: string; path: string }[] }>(['sessions', '--all', '--json'])
  transcript = sessions.find(({ id }) => id === sampleIds.dueDates)?.path ?? ''
})
afterAll(() => home.remove())

const patienceMs = 30_000

/** Status and signal: a command that hangs is ended by `SIGKILL`. */
function run(args: readonly string[]): Promise<{ status: number | null; signal: string | null; stderr: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [bin, ...args], {
      cwd: home.repository,
      env: home.vars,
      timeout: patienceMs,
      killSignal: 'SIGKILL',
    })
    let stderr = ''
    child.stdin.end()
    child.stdout.resume()
    child.stderr.on('data', (chunk) => {
      stderr += chunk
    })
    child.on('close', (status, signal) => resolve({ status, signal, stderr }))
  })
}

/** Puts a pipe, or a link to a device, into the place while the work is done. */
async function instead(place: string, what: 'pipe' | 'device', work: () => Promise<void>): Promise<void> {
  const aside = `${place}.aside`
  mkdirSync(dirname(place), { recursive: true })
  let isMoved = true
  try {
    renameSync(place, aside)
  } catch {
    isMoved = false
  }
  if (what === 'pipe') execFileSync('mkfifo', [place])
  else symlinkSync('/dev/zero', place)
  try {
    await work()
  } finally {
    rmSync(place)
    if (isMoved) renameSync(aside, place)
  }
}

const places: Readonly<Record<string, () => string>> = {
  '.git above the folder of a session': () => join(home.home, '.git'),
  "the repository's .git": () => join(home.repository, '.git'),
  "the repository's HEAD": () => join(home.repository, '.git', 'HEAD'),
  "the repository's .gitignore": () => join(home.repository, '.gitignore'),
  'settings of Claude Code': () => join(home.home, '.claude', 'settings.json'),
  'settings of the project': () => join(home.repository, '.claude', 'settings.json'),
  'config of Codex': () => join(home.home, '.codex', 'config.toml'),
  'hooks of Codex': () => join(home.home, '.codex', 'hooks.json'),
  'a transcript': () => transcript,
  'our own config': () => join(home.home, '.offshoot', 'config.toml'),
  'our own database': () => join(home.home, '.offshoot', 'offshoot.db'),
  'a part of our own database': () => join(home.home, '.offshoot', 'offshoot.db-shm'),
  'the token of the server': () => join(home.home, '.offshoot', 'token'),
  'the file of the server': () => join(home.home, '.offshoot', 'server.json'),
  'names of Codex sessions': () => join(home.home, '.codex', 'session_index.jsonl'),
}
const commands = [
  ['sessions', '--all'],
  ['doctor'],
  ['hooks', 'status'],
  ['index'],
  ['fork', `claude:${sampleIds.dueDates}`, '--at', '1', '--dry-run'],
]

describe.each(Object.keys(places))('a pipe for %s', (name) => {
  test.each(commands.map((args) => [args.join(' '), args] as const))(
    '%s ends',
    async (_command, args) => {
      await instead(places[name]?.() ?? '', 'pipe', async () => {
        const { status, signal, stderr } = await run(args)
        expect({ signal, stderr }).toMatchObject({ signal: null })
        expect(status, stderr).not.toBe(70)
      })
    },
    60_000,
  )
})

test.each(Object.keys(places))(
  'an endless device for %s: doctor ends',
  async (name) => {
    await instead(places[name]?.() ?? '', 'device', async () => {
      const { status, signal, stderr } = await run(['doctor'])
      expect({ signal, stderr }).toMatchObject({ signal: null })
      expect(status, stderr).not.toBe(70)
    })
  },
  60_000,
)
