// What a terminal brings to the suite, and panes with a small program in them that tells what arrives there.
import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { AppError } from '../model/error.ts'
import type { OpenPane, PaneRef, Terminal } from './terminal.ts'
import { removeFolder, until } from './until.testkit.ts'

export interface TerminalSurroundings {
  /** A folder of this run's own; removed afterwards. */
  readonly root: string
  /** Where job folders are to be made. */
  readonly folder: string
}

export interface TerminalFixture {
  /** As a new process would make it: called again, it must find the panes of before. */
  create(surroundings: TerminalSurroundings): Terminal
  /** Of the environment given to `create`. */
  readonly path: string
  /** A variable of the environment given to `create`. */
  readonly inherited: { readonly name: string; readonly value: string }
  /** How many random command lines are tried. */
  readonly fuzzRuns: number
  dispose(surroundings: TerminalSurroundings): void
}

/** Says what it was started with, asks for bracketed paste, and writes down every byte it is sent. */
const probeProgram = `
import { appendFileSync, writeFileSync } from 'node:fs'
const [folder, ...words] = process.argv.slice(2)
process.stdin.setRawMode(true)
process.stdin.on('data', (bytes) => {
  appendFileSync(folder + '/input', bytes)
  if (bytes.includes(4)) process.exit(Number(words[0] ?? 0))
})
process.on('SIGHUP', () => process.kill(process.pid, 'SIGKILL')) // Node itself aborts on a raw terminal that is gone
process.stdout.write('\\x1b]2;probe title\\x07\\x1b[?2004hREADY\\r\\n')
writeFileSync(folder + '/part', JSON.stringify({ words, cwd: process.cwd(), env: process.env, pid: process.pid }))
const { renameSync } = await import('node:fs')
renameSync(folder + '/part', folder + '/told.json')
`

interface Told {
  readonly words: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly pid: number
}

/** Words a shell, a terminal or a program's own options would take for something else. */
export const oddities = [
  'plain',
  '-rf',
  '--',
  ';',
  'ends in;',
  'e\\;',
  '#(touch x)',
  '##{pid}#{pane_id}',
  '$HOME `touch x` $(touch x)',
  `it's "quoted" \\`,
  '%1 =x {last} !',
  '~ * ? [a] {b,c} | & < > ()',
  'tab\there',
  'two\nlines',
  '\u001b[201~\u001b]0;x\u0007',
  '🌱 Ærø 日本語',
  '$$session$$',
]

export type Panes = ReturnType<typeof setUpPanes>

/** `at` and `terminal` are there once the tests run. */
export function setUpPanes(fixture: TerminalFixture) {
  let at: TerminalSurroundings
  let terminal: Terminal
  beforeAll(() => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), 'offshoot-pane-')))
    at = { root, folder: join(root, 'jobs') }
    writeFileSync(join(root, 'probe.mjs'), probeProgram)
    terminal = fixture.create(at)
  })
  afterAll(() => {
    fixture.dispose(at)
    return removeFolder(at.root)
  })

  const newTag = () => randomBytes(8).toString('hex')
  const request = (pane: Partial<OpenPane>): OpenPane => ({
    argv: [process.execPath, '-e', ''],
    cwd: at.root,
    env: {},
    unset: [],
    title: 'a pane',
    tag: newTag(),
    ...pane,
  })

  async function openProbe(words: readonly string[] = [], pane: Partial<OpenPane> = {}) {
    const notes = mkdtempSync(join(at.root, 'probe-'))
    const ref = await terminal.open(request({ argv: [process.execPath, join(at.root, 'probe.mjs'), notes, ...words], ...pane }))
    const told = await until('the probe to speak', () => existsSync(join(notes, 'told.json')) && join(notes, 'told.json'))
    return {
      ref,
      told: JSON.parse(readFileSync(told, 'utf8')) as Told,
      input: () => (existsSync(join(notes, 'input')) ? readFileSync(join(notes, 'input'), 'utf8') : ''),
    }
  }
  const waitForEnd = (ref: PaneRef) =>
    until('the pane to end', async () => [await terminal.status(ref)].find(({ state }) => state !== 'running'))

  return {
    get at() {
      return at
    },
    get terminal() {
      return terminal
    },
    newTag,
    request,
    openProbe,
    waitForEnd,
  }
}

/** The code of the AppError it fails with; any other error as it is, `null` where there is none. */
export async function codeOf(promise: Promise<unknown>) {
  const error = await promise.then(
    () => null,
    (caught: unknown) => caught,
  )
  return error instanceof AppError ? error.code : error
}
