// One command with one failing file system call, and what is wrong with how it took it.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bin, type Run } from '../cli/run-cli.ts'
import type { FaultCommand } from './commands.ts'
import type { FaultHome } from './fault-home.ts'

export type Errno = 'ENOSPC' | 'EACCES' | 'EMFILE' | 'EIO'
export const errnos: readonly Errno[] = ['ENOSPC', 'EACCES', 'EMFILE', 'EIO']

export interface Fault {
  readonly errno: Errno
  /** The number of the call; 0: none fails, all are counted. */
  readonly at: number
  /** All later calls fail too, as on a disk that stays full. */
  readonly sticky?: boolean
}

export interface Outcome extends Run {
  readonly calls: number
  /** What failed: its number, the call and the path. */
  readonly failed: readonly string[]
  readonly problems: readonly string[]
}

/** Far more than any command needs on a busy machine; only what hangs takes as long. */
const hangMs = 120_000

export async function runTrial(home: FaultHome, shim: string, command: FaultCommand, fault: Fault): Promise<Outcome> {
  await home.reset(command.prepare)
  const before = home.state()
  const [stateFile, logFile] = [join(home.aside, 'state'), join(home.aside, 'log')]
  writeFileSync(stateFile, Buffer.alloc(16))
  writeFileSync(logFile, '')
  const env = {
    ...home.vars,
    LD_PRELOAD: shim,
    FAULT_ROOTS: home.live,
    FAULT_STATE: stateFile,
    FAULT_LOG: logFile,
    FAULT_ERRNO: fault.errno,
    FAULT_AT: String(fault.at),
    FAULT_STICKY: fault.sticky === true ? '1' : '0',
  }
  const problems: string[] = []
  const run = await runToEnd(home, command, env, problems)
  const calls = readFileSync(stateFile).readUInt32LE(0)
  const failed = readFileSync(logFile, 'utf8').split('\n').slice(0, 3).filter(Boolean)
  problems.push(...judgeRun(run))
  const changed = differences(before, home.state())
  if (!command.changesFiles && changed.length > 0) problems.push(`changed: ${changed.join(', ')}`)
  if (fault.at > 0) problems.push(...(await judgeNext(home, command, before)))
  return { ...run, calls, failed, problems }
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

function judgeRun({ status, stdout, stderr }: Run): string[] {
  const problems: string[] = []
  if (status === 70) problems.push('ends with 70, as a bug')
  if (status === null) problems.push('ends by a signal')
  if (/^ {4}at .*[:(]/m.test(stderr)) problems.push('prints a stack')
  if (status !== 0 && status !== null && !/error: .+/.test(stderr) && !/"error":|error: /.test(stdout) && stderr.trim() === '') {
    problems.push(`ends with ${status} and no word`)
  }
  return problems
}

/** The same command without faults: it works, nothing is lost, and nothing half done is left. */
async function judgeNext(home: FaultHome, command: FaultCommand, before: ReadonlyMap<string, string>): Promise<string[]> {
  const problems: string[] = []
  const { status, stderr } = await home.run(command.next?.(home) ?? command.args(home))
  if (status !== 0) problems.push(`the next one ends with ${status}: ${stderr.slice(0, 300)}`)
  const changed = differences(before, home.state())
  if (
    command.changesFiles
      ? !command.isAsExpected?.(changed.map((path) => path.slice(home.repository.length + 1)))
      : changed.length > 0
  ) {
    problems.push(`changed after the next one: ${changed.join(', ')}`)
  }
  problems.push(...checkForks(home))
  return problems
}

function checkForks({ vars }: FaultHome): string[] {
  const journal = join(vars.OFFSHOOT_HOME ?? '', 'offshoot.db')
  return existsSync(journal) ? [] : ['the database is gone']
}

function differences(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  return [...new Set([...before.keys(), ...after.keys()])].filter((path) => before.get(path) !== after.get(path))
}
