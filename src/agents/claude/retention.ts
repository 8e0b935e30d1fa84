// How long Claude Code keeps a session nobody touches: `cleanupPeriodDays` of its settings, 30 days without it.
import { join } from 'node:path'
import { isObject } from '../../lib/jsonl.ts'
import { readRegularText } from '../../lib/regular-file.ts'
import type { AgentEnv } from '../agent-env.ts'
import { configFolder } from './folders.ts'

const defaultDays = 30

export function purgeAfterDays(env: AgentEnv): number {
  try {
    const settings: unknown = JSON.parse(readRegularText(join(configFolder(env), 'settings.json')))
    const days = isObject(settings) ? settings.cleanupPeriodDays : undefined
    return typeof days === 'number' && days >= 0 ? days : defaultDays
  } catch {
    return defaultDays // no settings, or none that Claude Code could read either
  }
}
