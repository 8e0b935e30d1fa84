// One at a time, across processes, by a file: written whole before it is linked in, so that a lock is never seen without its
// owner. That of a dead process is taken over.
import { link, rm, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileErrorCode, isMissing } from './file-errors.ts'
import { isAlive } from './is-alive.ts'
import { findLeftovers } from './leftovers.ts'
import { loadRegularText } from './regular-file.ts'

const retryMs = 25

export interface LockOptions {
  /** How often it is tried, 25 ms apart. */
  readonly maxTries: number
  /** What is thrown when somebody holds it all the while. */
  readonly onBusy: (pid: string) => Error
}

export async function withLockFile<T>(lock: string, work: () => Promise<T>, options: LockOptions): Promise<T> {
  const own = `${lock}.${crypto.randomUUID().slice(0, 8)}`
  try {
    await writeFile(own, await describeOwner(process.pid), { mode: 0o644 })
    await acquire(lock, own, options)
    try {
      await removeLeft(lock)
      return await work()
    } finally {
      await rm(lock, { force: true })
    }
  } finally {
    await rm(own, { force: true })
  }
}

/** Files of processes that were killed while they held the lock or waited for it. */
async function removeLeft(lock: string): Promise<void> {
  for (const { path } of findLeftovers(lock, /^\.[\da-f]{8}$/)) {
    const writer = await readIfThere(path)
    // Without an owner it is one that is being written right now.
    if (writer !== null && ownerShape.test(writer) && (await isDead(writer))) await rm(path, { force: true })
  }
}

async function acquire(lock: string, own: string, { maxTries, onBusy }: LockOptions): Promise<void> {
  let holder: string | null = null
  for (let tries = 0; tries < maxTries; tries++) {
    try {
      return await link(own, lock)
    } catch (error) {
      if (fileErrorCode(error) !== 'EEXIST') throw error
    }
    holder = await readIfThere(lock)
    if (holder !== null && (await isDead(holder))) await breakLock(lock, holder, own)
    else await sleep(retryMs)
  }
  throw onBusy(holder?.split(' ')[1] ?? 'unknown')
}

/** Whoever removes a dead lock must be alone in it, and look again: it may be another's fresh one by now. */
async function breakLock(lock: string, dead: string, own: string): Promise<void> {
  const right = `${lock}.dead`
  try {
    await link(own, right)
  } catch (error) {
    if (fileErrorCode(error) !== 'EEXIST') throw error
    const holder = await readIfThere(right)
    if (holder !== null && (await isDead(holder))) await rm(right, { force: true })
    return
  }
  try {
    if ((await readIfThere(lock)) === dead) await rm(lock)
  } finally {
    await rm(right)
  }
}

/** A lock is written whole before it is linked in: what does not name an owner was put there by somebody else, and is nobody's. */
const ownerShape = /^\S+ \d+ (?:\d+|-)$/

async function isDead(holder: string): Promise<boolean> {
  if (!ownerShape.test(holder)) return true
  const [host, pid] = holder.split(' ')
  if (host !== hostname()) return false
  if (!isAlive(Number(pid))) return true
  return (await describeOwner(Number(pid))) !== holder
}

/** With the time the process started, where the system tells: process numbers are used again. */
async function describeOwner(pid: number): Promise<string> {
  const stat = await readIfThere(`/proc/${pid}/stat`)
  const startedAt = stat?.slice(stat.lastIndexOf(')')).split(' ')[20] ?? '-'
  return `${hostname()} ${pid} ${startedAt}`
}

async function readIfThere(path: string): Promise<string | null> {
  try {
    return await loadRegularText(path)
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}
