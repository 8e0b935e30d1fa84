// Whether Claude Code runs hooks at all: any settings that apply may switch all of them off, and it says nothing of it. The strongest file
// that speaks decides, also when it says no to a weaker one; only an administrator's can keep to its own hooks. Seen on 2.1.197 and 2.1.325.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { readText } from '../../lib/edit-file.ts'
import { isObject } from '../../lib/jsonl.ts'
import { AppError } from '../../model/error.ts'
import type { AgentEnv } from '../agent-env.ts'
import { configFolder } from './folders.ts'

const managedFolder = process.platform === 'darwin' ? '/Library/Application Support/ClaudeCode' : '/etc/claude-code'

/** `root`: the project it would run in, `null` for none. */
export async function whyHooksAreOff(env: AgentEnv, root: string | null, managed = managedFolder): Promise<string | null> {
  const own = root === null ? [] : ['settings.json', 'settings.local.json'].map((name) => join(root, '.claude', name))
  const managedFiles = [join(managed, 'managed-settings.json'), ...dropIns(join(managed, 'managed-settings.d'))]
  const off = await whereIsSet('disableAllHooks', [join(configFolder(env), 'settings.json'), ...own, ...managedFiles])
  if (off !== null)
    return `disableAllHooks is set in ${off}: Claude Code runs no hooks${own.includes(off) ? ' in this project' : ''}`
  const only = await whereIsSet('allowManagedHooksOnly', managedFiles)
  return only === null ? null : `allowManagedHooksOnly is set in ${only}: Claude Code runs the administrator's hooks only`
}

/** The file that switches it on, if the last that says anything does: weakest first. */
async function whereIsSet(name: string, files: readonly string[]): Promise<string | null> {
  let found: string | null = null
  for (const file of files) {
    const value = (await readSettings(file))[name]
    if (typeof value === 'boolean') found = value ? file : null
  }
  return found
}

/** What Claude Code cannot read says nothing. */
async function readSettings(file: string): Promise<Record<string, unknown>> {
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
