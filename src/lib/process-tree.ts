// A process and everything below it, so that all of it can be ended: agents put the commands they run into process groups of
// their own, which a signal to the agent's group does not reach (Claude Code 2.1.197 leaves them running on SIGTERM).
import { anyFolder, exec } from './exec.ts'
import { fileErrorCode } from './file-errors.ts'

export interface ProcessRow {
  readonly pid: number
  /** As `ps` prints it: tells a process from a later one with the same number. */
  readonly startedAt: string
}

type Env = Readonly<Record<string, string | undefined>>

/** What runs below `pid` now, without it; nothing where `ps` does not tell. */
export async function processesBelow(pid: number, env: Env): Promise<ProcessRow[]> {
  const rows = await processTable(env)
  const found: ProcessRow[] = []
  const queue = [pid]
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    for (const row of rows) {
      if (row.parent !== next || row.pid === pid) continue
      found.push(row)
      queue.push(row.pid)
    }
  }
  return found
}

/** Ends those that are still the processes they were. */
export async function endProcesses(processes: readonly ProcessRow[], env: Env): Promise<void> {
  if (processes.length === 0) return
  const now = new Map((await processTable(env)).map((row) => [row.pid, row.startedAt]))
  for (const { pid, startedAt } of processes) if (now.get(pid) === startedAt) signalProcess(pid, 'SIGKILL')
}

/** A negative id is a process group. Gone already is as good as done. */
export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if (fileErrorCode(error) !== 'ESRCH') throw error
  }
}

async function processTable(env: Env): Promise<(ProcessRow & { readonly parent: number })[]> {
  const args = ['-A', '-o', 'pid=,ppid=,lstart=']
  const { stdout } = await exec('ps', args, { cwd: anyFolder, env: { ...env, LC_ALL: 'C' }, timeoutMs: 5000 })
  return stdout.split('\n').flatMap((line) => {
    const [, pid, parent, startedAt] = /^\s*(\d+)\s+(\d+)\s+(.*\S)\s*$/.exec(line) ?? []
    return pid === undefined || startedAt === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), startedAt }]
  })
}
