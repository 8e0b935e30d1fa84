// Which threads some Codex process has open: it holds a lock on thread-writer-locks/<id>.lock while it may write. The file
// stays behind, so only the system can tell whether the lock is held: Linux does, in /proc/locks. Elsewhere, and where only
// versions without locks (0.142) were at work, a thread counts as open while its last turn has no end and its file changed a
// moment ago.
import { closeSync, fstatSync, openSync, readdirSync, readFileSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { LiveSession } from '../agent.ts'
import type { AgentEnv } from '../agent-env.ts'
import { discover } from './discover.ts'
import { codexHome, findNewest } from './rollout-files.ts'

const procLocks = '/proc/locks'
/** Codex writes something at least when a tool ends or the model answers; a tool may take its time. */
const recentMs = 60_000

/** `locksPath` is where the system lists held locks. */
export function listLive(env: AgentEnv, locksPath = procLocks): LiveSession[] {
  const folder = join(codexHome(env), 'thread-writer-locks')
  const names = namesIn(folder)
  const held = names === undefined ? undefined : readText(locksPath)
  return names === undefined || held === undefined ? listRecent(env) : listLocked(env, folder, names, parseHolders(held))
}

export function isBusy({ id }: { readonly id: string }, env: AgentEnv): boolean {
  return listLive(env).some(({ sessionId, busy }) => sessionId === id && busy)
}

export interface ThreadLook {
  /** Some Codex has it open; `null` where that cannot be told (0.142, or no list of locks). */
  readonly isHeld: boolean | null
  /** Of its last turn; `none` while it has no file or no turn. */
  readonly turn: 'open' | 'closed' | 'none'
  readonly writtenAt: number
}

/** What is known of one thread, without a look at any other. */
export function lookAtThread(env: AgentEnv, threadId: string, locksPath = procLocks): ThreadLook {
  const lock = inodeOf(join(codexHome(env), 'thread-writer-locks', `${threadId}.lock`))
  const held = lock === -1 ? undefined : readText(locksPath)
  const isHeld = held === undefined ? null : parseHolders(held).has(lock)
  const file = findNewest(threadId, env)
  const writtenAt = file === undefined ? 0 : (statSync(file.path, { throwIfNoEntry: false })?.mtimeMs ?? 0)
  return { isHeld, turn: file === undefined ? 'none' : lastTurn(file.path), writtenAt }
}

function listLocked(
  env: AgentEnv,
  folder: string,
  names: readonly string[],
  holders: ReadonlyMap<number, number>,
): LiveSession[] {
  const pids = new Map<string, number>()
  for (const name of holders.size === 0 ? [] : names) {
    const id = /^([0-9a-f-]{36})\.lock$/.exec(name)?.[1]
    const pid = id === undefined ? undefined : holders.get(inodeOf(join(folder, name)))
    if (id !== undefined && pid !== undefined) pids.set(id, pid)
  }
  if (pids.size === 0) return []
  const open = new Set<string>()
  for (const { id, path } of discover(env)) if (pids.has(id) && isTurnOpen(path)) open.add(id)
  return [...pids].map(([sessionId, pid]) => ({ sessionId, pid: pid > 0 ? pid : null, busy: open.has(sessionId) }))
}

function listRecent(env: AgentEnv): LiveSession[] {
  const now = env.now?.()
  if (now === undefined) return []
  const live: LiveSession[] = []
  for (const { id, path, modifiedAt } of discover(env)) {
    if (now - modifiedAt < recentMs && isTurnOpen(path)) live.push({ sessionId: id, pid: null, busy: true })
  }
  return live
}

/**
 * Inode to the process that holds a lock on it. The device is not compared: on btrfs and in containers it differs from the one
 * stat gives, and a lock held on another file with the same inode is rare.
 */
function parseHolders(text: string): Map<number, number> {
  const holders = new Map<number, number>()
  for (const line of text.split('\n')) {
    const match = /^\d+: (?:FLOCK|POSIX|OFDLCK)\s+\S+\s+\S+\s+(-?\d+) [0-9a-f]+:[0-9a-f]+:(\d+) /.exec(line)
    if (match !== null) holders.set(Number(match[2]), Number(match[1]))
  }
  return holders
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined // this system has no such list
  }
}

function namesIn(folder: string): string[] | undefined {
  try {
    return readdirSync(folder)
  } catch {
    return undefined // no locks there, or none we may see
  }
}

function inodeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.ino ?? -1
}

const tailBytes = 1 << 18
const boundary = /"type":"event_msg","payload":\{"type":"(task_started|task_complete|turn_aborted)"/g

/** Looks at the end of the file only: a long tail without any boundary is the middle of a turn. */
function isTurnOpen(path: string): boolean {
  return lastTurn(path) === 'open'
}

function lastTurn(path: string): ThreadLook['turn'] {
  if (path.endsWith('.zst')) return 'closed'
  const { tail, isWhole } = readTail(path)
  const last = [...tail.matchAll(boundary)].at(-1)
  if (last === undefined) return isWhole ? 'none' : 'open'
  return last[1] === 'task_started' ? 'open' : 'closed'
}

function readTail(path: string): { tail: string; isWhole: boolean } {
  let fd: number | undefined
  try {
    fd = openSync(path, 'r')
    const { size } = fstatSync(fd)
    const tail = Buffer.alloc(Math.min(size, tailBytes))
    readSync(fd, tail, 0, tail.length, size - tail.length)
    return { tail: tail.toString('latin1'), isWhole: size === tail.length }
  } catch {
    return { tail: '', isWhole: true } // gone or closed to us: nothing is known to run in it
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}
