// Sessions open now, from the CLI's own registry `sessions/<pid>.json`. Entries outlive a killed process, so the pid is asked.
import { readdirSync, readlinkSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isAtLeast } from '../../lib/find-program.ts'
import { isAlive } from '../../lib/is-alive.ts'
import { isObject } from '../../lib/jsonl.ts'
import { readRegularText } from '../../lib/regular-file.ts'
import type { LiveSession } from '../agent.ts'
import type { AgentEnv } from '../agent-env.ts'
import { configFolder } from './folders.ts'

export interface RegistryEntry {
  readonly pid: number
  readonly sessionId: string
  readonly startedAt: number | null
  /** `busy`, `shell`, `waiting` or `idle`; `null` where it is not (yet) told: 2.1.197 in print mode, and at first. */
  readonly status: string | null
  readonly waitingFor: string | null
  readonly changedAt: number
}

export function liveSessions(env: AgentEnv): LiveSession[] {
  // What is not told counts as busy.
  return readRegistry(env).map(({ sessionId, pid, status, startedAt, changedAt }) => {
    const since = startedAt === null ? null : startedAt - entryComesWithinMs
    return { sessionId, pid, busy: status !== 'idle', since, saidAt: changedAt }
  })
}

/** 2.1.197 says it started up to 0.2 s after the time of the prompt it was started with. */
const entryComesWithinMs = 2000

/** These keep an entry of every process, made before the first line of the session; earlier ones did not of all (seen: 2.1.81). */
export function hasRegistry(cliVersion: string | null): boolean {
  return cliVersion !== null && isAtLeast(cliVersion, [2, 1, 197])
}

/** Entries of processes that run. */
export function readRegistry(env: AgentEnv): RegistryEntry[] {
  const folder = registryFolder(env)
  return namesIn(folder).flatMap((name) => (name.endsWith('.json') ? (liveEntry(join(folder, name), env) ?? []) : []))
}

export function readEntryOf(env: AgentEnv, pid: number): RegistryEntry | undefined {
  return liveEntry(join(registryFolder(env), `${pid}.json`), env)
}

function registryFolder(env: AgentEnv): string {
  return join(configFolder(env), 'sessions')
}

function liveEntry(path: string, env: AgentEnv): RegistryEntry | undefined {
  const entry = readEntry(path)
  if (!entry || typeof entry.sessionId !== 'string' || typeof entry.pid !== 'number') return undefined
  const changedAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
  const isThere = isElsewhere(entry.pidDomain)
    ? env.now !== undefined && env.now() - changedAt < elsewhereMs
    : isAlive(entry.pid) && !isAnother(entry.pid, entry.procStart)
  if (!isThere) return undefined
  return {
    pid: entry.pid,
    sessionId: entry.sessionId,
    startedAt: typeof entry.startedAt === 'number' ? entry.startedAt : null,
    status: typeof entry.status === 'string' ? entry.status : null,
    waitingFor: typeof entry.waitingFor === 'string' ? entry.waitingFor : null,
    changedAt,
  }
}

/** Another machine or container with the same home: its processes cannot be asked, so its entry counts for a while. */
const elsewhereMs = 10 * 60_000

/** 2.1.325 names the space of process numbers by machine and namespace. */
function isElsewhere(domain: unknown): boolean {
  if (typeof domain !== 'string' || !domain.startsWith('linux:')) return false
  try {
    return domain !== `linux:${readRegularText('/etc/machine-id').trim()}:${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    return false // this system has no such names
  }
}

/** `procStart` is field 22 of /proc/pid/stat: a later process with the same number began at another time. */
function isAnother(pid: number, procStart: unknown): boolean {
  const begun = statOf(pid)?.[19]
  return typeof procStart === 'string' && /^\d+$/.test(procStart) && begun !== undefined && begun !== procStart
}

/** Whether `pid` was started by `ancestor`, or by one that was; false where the system does not tell. */
export function isBelow(pid: number, ancestor: number): boolean {
  for (let at = pid; at > 1; ) {
    const parent = Number(statOf(at)?.[1])
    if (parent === ancestor) return true
    at = Number.isInteger(parent) ? parent : 0
  }
  return false
}

/** The fields of /proc/pid/stat behind the name, from `state` on. */
function statOf(pid: number): string[] | undefined {
  try {
    const stat = readRegularText(`/proc/${pid}/stat`)
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return undefined // gone, or a system without it
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return [] // no registry, no live sessions
  }
}

/** One that is just being written is read again; one that was removed meanwhile is no entry. */
function readEntry(path: string, tries = 3): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(readRegularText(path))
    return isObject(value) ? value : undefined
  } catch (error) {
    return error instanceof SyntaxError && tries > 1 ? readEntry(path, tries - 1) : undefined
  }
}
