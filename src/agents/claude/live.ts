// Sessions open now, from the CLI's own registry `sessions/<pid>.json`. Entries outlive a killed process, so the pid is asked.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isObject } from '../../lib/jsonl.ts'
import type { AgentEnv, LiveSession } from '../agent.ts'
import { configFolder } from './folders.ts'

export function liveSessions(env: AgentEnv): LiveSession[] {
  const folder = join(configFolder(env), 'sessions')
  const found: LiveSession[] = []
  for (const name of namesIn(folder)) {
    const entry = name.endsWith('.json') ? readEntry(join(folder, name)) : undefined
    if (!entry || typeof entry.sessionId !== 'string' || typeof entry.pid !== 'number') continue
    // 2.1.325 writes busy, shell, waiting or idle; 2.1.197 no status: what it is doing is unknown, so it counts as busy.
    if (isAlive(entry.pid)) found.push({ sessionId: entry.sessionId, pid: entry.pid, busy: entry.status !== 'idle' })
  }
  return found
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return [] // no registry, no live sessions
  }
}

/** An entry being written or already removed is no entry. */
function readEntry(path: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'))
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return isObject(error) && error.code === 'EPERM' // alive, but another user's
  }
}
