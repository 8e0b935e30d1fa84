// The model Claude Code runs on unless it is told another: a variable, then settings, the strongest file that names one. Without
// either it depends on the account, and only a run would tell.
import type { AgentEnv } from '../agent-env.ts'
import { readSettings, settingsFiles } from './settings-files.ts'

export async function defaultModel(env: AgentEnv, cwd: string): Promise<string | null> {
  const { ANTHROPIC_MODEL: variable } = env.vars
  if (variable) return variable
  const { user, project, managed } = settingsFiles(env, cwd)
  for (const file of [user, ...project, ...managed].reverse()) {
    const { model } = await readSettings(file)
    if (typeof model === 'string' && model !== '' && model !== 'default') return model
  }
  return null
}
