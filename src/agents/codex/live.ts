// Which threads some Codex process has open: it holds a lock on thread-writer-locks/<id>.lock while it may write. The file
// itself stays behind, so only the system can tell whether the lock is held.
import { closeSync, fstatSync, openSync, readdirSync, readFileSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isMissing } from '../../lib/file-errors.ts'
import type { AgentEnv, LiveSession } from '../agent.ts'
import { discover } from './discover.ts'
import { codexHome } from './rollout-files.ts'

export function listLive(env: AgentEnv): LiveSession[] {
  const locks = listLocks(join(codexHome(env), 'thread-writer-locks'))
  if (locks.size === 0) return []
  const holders = readHolders()
  const paths = new Map<string, string>()
  for (const { id, path } of discover(env)) if (locks.has(id)) paths.set(id, path)
  return [...locks].flatMap(([sessionId, inode]) => {
    const path = paths.get(sessionId)
    const pid = holders.get(inode)
    if (pid === undefined) return []
    return [{ sessionId, pid: pid > 0 ? pid : null, busy: path !== undefined && isTurnOpen(path) }]
  })
}

/** Thread id to the inode of its lock file. */
function listLocks(folder: string): Map<string, number> {
  const locks = new Map<string, number>()
  for (const name of readNames(folder)) {
    const id = /^([0-9a-f-]{36})\.lock$/.exec(name)?.[1]
    const inode = id === undefined ? undefined : inodeOf(join(folder, name))
    if (id !== undefined && inode !== undefined) locks.set(id, inode)
  }
  return locks
}

function readNames(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return [] // no locks, or unreadable ones: no session is called live on a guess
  }
}

function inodeOf(path: string): number | undefined {
  try {
    return statSync(path).ino
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

/**
 * Inode to the process that holds a lock on it. Only Linux tells (/proc/locks). The device is not compared: on btrfs and in
 * containers it differs from the one stat gives, and a lock of another file with the same inode is rare enough.
 */
function readHolders(): Map<number, number> {
  const holders = new Map<number, number>()
  for (const line of readLocks().split('\n')) {
    const match = /^\d+: (?:FLOCK|POSIX|OFDLCK)\s+\S+\s+\S+\s+(-?\d+) [0-9a-f]+:[0-9a-f]+:(\d+) /.exec(line)
    if (match !== null) holders.set(Number(match[2]), Number(match[1]))
  }
  return holders
}

function readLocks(): string {
  try {
    return readFileSync('/proc/locks', 'utf8')
  } catch {
    return '' // no such file: not Linux
  }
}

const tailBytes = 1 << 18
const boundary = /"type":"event_msg","payload":\{"type":"(task_started|task_complete|turn_aborted)"/g

/** Looks at the end of the file only: a tail without any boundary is the middle of a long turn. */
function isTurnOpen(path: string): boolean {
  const fd = openSync(path, 'r')
  try {
    const { size } = fstatSync(fd)
    const tail = Buffer.alloc(Math.min(size, tailBytes))
    readSync(fd, tail, 0, tail.length, size - tail.length)
    const last = [...tail.toString('latin1').matchAll(boundary)].at(-1)
    return last === undefined ? size > tailBytes : last[1] === 'task_started'
  } finally {
    closeSync(fd)
  }
}
