// Which threads some Codex process has open. While it may write to a thread it holds a lock on thread-writer-locks/<id>.lock (not
// 0.142) and keeps the rollout open (all versions). Lock files of killed processes stay behind, so only the system can tell
// whether one is held: Linux does, in /proc/locks. Elsewhere a thread counts as open while its last turn has no end and its file
// changed a moment ago.
import { closeSync, fstatSync, readdirSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { openRegular, readRegularText } from '../../lib/regular-file.ts'
import type { LiveSession } from '../agent.ts'
import type { AgentEnv } from '../agent-env.ts'
import { discover } from './discover.ts'
import { listWriters } from './open-rollouts.ts'
import { codexHome, findNewest } from './rollout-files.ts'

const procLocks = '/proc/locks'
/** Codex writes something at least when a tool ends or the model answers; a tool may take its time. */
const recentMs = 60_000

/** `locksPath` is where the system lists held locks. */
export function listLive(env: AgentEnv, locksPath = procLocks): LiveSession[] {
  const held = readText(locksPath)
  return held === undefined ? listRecent(env) : listHeld(env, parseHolders(held))
}

/** Whether `listLive` names every thread that some process has open. */
export function tellsLive(locksPath = procLocks): boolean {
  return readText(locksPath) !== undefined
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
  const lock = lockOf(env, threadId)
  const held = lock === undefined ? undefined : readText(locksPath)
  const isHeld = held === undefined || lock === undefined ? null : parseHolders(held).has(lock.ino)
  const file = findNewest(threadId, env)
  const writtenAt = file === undefined ? 0 : (statSync(file.path, { throwIfNoEntry: false })?.mtimeMs ?? 0)
  return { isHeld, turn: file === undefined ? 'none' : lastTurn(file.path).state, writtenAt }
}

interface Holding {
  readonly pid: number
  /** When the process took the thread: Codex touches the lock then. */
  readonly since: number | null
  readonly path: string | undefined
}

function listHeld(env: AgentEnv, holders: ReadonlyMap<number, number>): LiveSession[] {
  const holdings = new Map<string, Holding>()
  for (const { threadId, ...writer } of listWriters(env, new Set(holders.values()))) holdings.set(threadId, writer)
  for (const name of holders.size === 0 ? [] : namesIn(lockFolder(env))) {
    const threadId = /^([0-9a-f-]{36})\.lock$/.exec(name)?.[1]
    const lock = threadId === undefined ? undefined : lockOf(env, threadId)
    const pid = lock === undefined ? undefined : holders.get(lock.ino)
    if (threadId === undefined || lock === undefined || pid === undefined) continue
    holdings.set(threadId, { pid, since: lock.mtimeMs, path: holdings.get(threadId)?.path })
  }
  return [...holdings].map(([sessionId, { pid, since, path }]) => {
    const file = path ?? findNewest(sessionId, env)?.path
    const turn = file === undefined ? undefined : lastTurn(file)
    // A turn that had begun before is one that another process left open.
    const isOlder = since !== null && turn?.startedAt != null && turn.startedAt < since
    return { sessionId, pid: pid > 0 ? pid : null, busy: turn?.state === 'open' && !isOlder, since, saidAt: null }
  })
}

function listRecent(env: AgentEnv): LiveSession[] {
  const now = env.now?.()
  if (now === undefined) return []
  const live: LiveSession[] = []
  for (const { id, path, modifiedAt } of discover(env)) {
    if (now - modifiedAt >= recentMs || lastTurn(path).state !== 'open') continue
    live.push({ sessionId: id, pid: null, busy: true, since: null, saidAt: null })
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
    return readRegularText(path)
  } catch {
    return undefined // this system has no such list
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return [] // no locks there, or none we may see
  }
}

function lockFolder(env: AgentEnv): string {
  return join(codexHome(env), 'thread-writer-locks')
}

function lockOf(env: AgentEnv, threadId: string) {
  return statSync(join(lockFolder(env), `${threadId}.lock`), { throwIfNoEntry: false })
}

const tailBytes = 1 << 18
const boundary = /"type":"event_msg","payload":\{"type":"(task_started|task_complete|turn_aborted)"/g

/** Looks at the end of the file only: a long tail without any boundary is the middle of a turn. */
function lastTurn(path: string): { readonly state: ThreadLook['turn']; readonly startedAt: number | null } {
  if (path.endsWith('.zst')) return { state: 'closed', startedAt: null }
  const { tail, isWhole } = readTail(path)
  const last = [...tail.matchAll(boundary)].at(-1)
  if (last === undefined) return { state: isWhole ? 'none' : 'open', startedAt: null }
  if (last[1] !== 'task_started') return { state: 'closed', startedAt: null }
  const line = tail.slice(tail.lastIndexOf('\n', last.index) + 1, last.index)
  const startedAt = Date.parse(/"timestamp":"([^"]+)"/.exec(line)?.[1] ?? '')
  return { state: 'open', startedAt: Number.isNaN(startedAt) ? null : startedAt }
}

function readTail(path: string): { tail: string; isWhole: boolean } {
  let fd: number | undefined
  try {
    fd = openRegular(path)
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
