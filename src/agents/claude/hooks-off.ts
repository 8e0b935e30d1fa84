// Whether Claude Code runs hooks at all: any settings that apply may switch all of them off, and it says nothing of it. The strongest file
// that speaks decides, also when it says no to a weaker one; only an administrator's can keep to its own hooks. Seen on 2.1.197 and 2.1.325.
import type { AgentEnv } from '../agent-env.ts'
import { readSettings, settingsFiles } from './settings-files.ts'

/** `root`: the project it would run in, `null` for none. */
export async function whyHooksAreOff(env: AgentEnv, root: string | null, managedFolder?: string): Promise<string | null> {
  const { user, project, managed } = settingsFiles(env, root, managedFolder)
  const off = await whereIsSet('disableAllHooks', [user, ...project, ...managed])
  if (off !== null)
    return `disableAllHooks is set in ${off}: Claude Code runs no hooks${project.includes(off) ? ' in this project' : ''}`
  const only = await whereIsSet('allowManagedHooksOnly', managed)
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
