// The settings files of Claude Code that apply in a project, weakest first. Seen on 2.1.197 and 2.1.325.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { readText } from '../../lib/edit-file.ts'
import { isObject } from '../../lib/jsonl.ts'
import { AppError } from '../../model/error.ts'
import type { AgentEnv } from '../agent-env.ts'
import { configFolder } from './folders.ts'

const managedFolder = process.platform === 'darwin' ? '/Library/Application Support/ClaudeCode' : '/etc/claude-code'

export interface SettingsFiles {
  readonly user: string
  readonly project: readonly string[]
  readonly managed: readonly string[]
}

/** `root`: the project it would run in, `null` for none. */
export function settingsFiles(env: AgentEnv, root: string | null, managed = managedFolder): SettingsFiles {
  return {
    user: join(configFolder(env), 'settings.json'),
    project: root === null ? [] : ['settings.json', 'settings.local.json'].map((name) => join(root, '.claude', name)),
    managed: [join(managed, 'managed-settings.json'), ...dropIns(join(managed, 'managed-settings.d'))],
  }
}

/** What Claude Code cannot read says nothing. */
export async function readSettings(file: string): Promise<Record<string, unknown>> {
  try {
    const settings: unknown = JSON.parse(((await readText(file)) ?? '{}').replace(/^\ufeff/, ''))
    return isObject(settings) ? settings : {}
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof AppError) return {}
    throw error
  }
}

function dropIns(folder: string): string[] {
  try {
    const names = readdirSync(folder).filter((name) => name.endsWith('.json') && !name.startsWith('.'))
    return names.sort().map((name) => join(folder, name))
  } catch {
    return [] // none, or none that we may read
  }
}
