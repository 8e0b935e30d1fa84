// One command with one failing file system call, and what is wrong with how it took it.
import { execFileSync, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { bin, type Run } from '../cli/run-cli.ts'
import type { FaultCommand } from './commands.ts'
import type { FaultHome } from './fault-home.ts'
import { armShim, type Fault } from './shim.ts'

export interface Outcome extends Run {
  readonly calls: number
  /** What failed: its number, the call and the path. */
  readonly failed: readonly string[]
  /** Files of the repository, sessions and refs that are not as before. */
  readonly changed: readonly string[]
  readonly problems: readonly string[]
  /** It ended well, but printed something else than without the fault: what could not be read is left out. */
  readonly isShort: boolean
}

/** Far more than any command needs on a busy machine; only what hangs takes as long. */
const hangMs = 120_000

export async function runTrial(
  home: FaultHome,
  shim: string,
  command: FaultCommand,
  fault: Fault,
  clean?: Outcome,
): Promise<Outcome> {
  await home.reset(command.prepare)
  const before = home.state()
  const env = { ...home.vars, ...armShim(shim, fault, home.live, home.aside) }
  const problems: string[] = []
  const run = await runToEnd(home, command, env, problems)
  const calls = readFileSync(join(home.aside, 'shim-state')).readUInt32LE(0)
  const failed = readFileSync(join(home.aside, 'shim-log'), 'utf8').split('\n').slice(0, 3).filter(Boolean)
  problems.push(...judgeRun(run, fault))
  const changed = differences(before, home.state())
  if (command.changesFiles !== true && changed.length > 0) problems.push(`changed: ${changed.join(', ')}`)
  if (fault.at > 0) problems.push(...(await judgeNext(home, command, before, clean)))
  const isShort = clean !== undefined && command.isRepeatable === true && run.status === 0 && run.stdout !== clean.stdout
  return { ...run, calls, failed, changed, problems, isShort }
}

async function runToEnd(
  home: FaultHome,
  command: FaultCommand,
  env: Readonly<Record<string, string>>,
  problems: string[],
): Promise<Run> {
  const child = spawn(process.execPath, [bin, ...command.args(home)], {
    cwd: home.repository,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [stdout, stderr] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const ended = new Promise<number | null>((resolve) => child.on('close', (status) => resolve(status)))
  const timer = setTimeout(() => {
    problems.push('hangs')
    child.kill('SIGKILL')
  }, hangMs)
  try {
    if (command.meanwhile !== undefined) {
      problems.push(...(await command.meanwhile({ home, ended, stdout: () => stdout, kill: (signal) => child.kill(signal) })))
    }
    const status = await ended
    return { stdout, stderr, status }
  } finally {
    clearTimeout(timer)
  }
}

function judgeRun({ status, stdout, stderr }: Run, { errno }: Fault): string[] {
  const problems: string[] = []
  if (status === 70) problems.push('ends with 70, as a bug')
  if (status === null && errno !== 'KILL') problems.push('ends by a signal')
  if (/^ {4}at .*[:(]/m.test(stderr)) problems.push('prints a stack')
  if (status !== 0 && status !== null && `${stdout}${stderr}`.trim() === '') problems.push(`ends with ${status} and no word`)
  return problems
}

/** The same command without faults: it works, nothing is lost, and nothing half done is left. */
async function judgeNext(
  home: FaultHome,
  command: FaultCommand,
  before: ReadonlyMap<string, string>,
  clean: Outcome | undefined,
): Promise<string[]> {
  const problems: string[] = []
  const { status, stderr, stdout } = await home.run(command.next?.(home) ?? command.args(home))
  if (status !== 0) problems.push(`the next one ends with ${status}: ${stderr.slice(0, 300)}`)
  const says = command.isRepeatable === true && clean !== undefined && stdout !== clean.stdout
  if (says) problems.push(`the next one prints something else: ${stdout.slice(0, 300)}`)
  const changed = differences(before, home.state())
  if (changed.join() !== (clean?.changed ?? []).join()) problems.push(`changed after the next one: ${changed.join(', ')}`)
  return [...problems, ...checkBooks(home, command.clearsUp === true)]
}

/** What the database says, beside what is on the disk. */
function checkBooks({ vars, repository, sessions }: FaultHome, isClear: boolean): string[] {
  const folder = vars.OFFSHOOT_HOME ?? ''
  const db = new Sqlite(join(folder, 'offshoot.db'), { fileMustExist: true })
  try {
    const column = (sql: string) => db.prepare(sql).pluck().all() as string[]
    const problems: string[] = []
    if (db.pragma('quick_check', { simple: true }) !== 'ok') problems.push('the database is damaged')
    const known = new Set(column("SELECT id FROM sessions WHERE state = 'present'"))
    const lost = sessions.filter((id) => !known.has(id))
    if (lost.length > 0) problems.push(`sessions are not known any more: ${lost.join(', ')}`)
    if (!isClear) return problems
    const open = column('SELECT DISTINCT fork_id FROM journal')
    const cutOff = column("SELECT id FROM restores WHERE state IN ('restoring', 'undoing')")
    if (open.length + cutOff.length > 0) problems.push(`is not cleared up: ${[...open, ...cutOff].join(', ')}`)
    const rows = column('SELECT path FROM workspaces WHERE removed_at IS NULL').toSorted()
    const git = (...args: string[]) => execFileSync('git', args, { cwd: repository, encoding: 'utf8' })
    const trees = [...git('worktree', 'list', '--porcelain').matchAll(/^worktree (.*)$/gm)].map(([, path]) => path ?? '').slice(1)
    if (trees.toSorted().join() !== rows.join()) problems.push(`workspaces ${rows.join()}, but worktrees ${trees.join()}`)
    const branches = git('for-each-ref', '--format=%(refname)', 'refs/heads/offshoot').trim().split('\n').filter(Boolean)
    if (branches.length !== rows.length) problems.push(`${rows.length} workspaces, but branches ${branches.join()}`)
    return problems
  } finally {
    db.close()
  }
}

function differences(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  return [...new Set([...before.keys(), ...after.keys()])].filter((path) => before.get(path) !== after.get(path))
}
