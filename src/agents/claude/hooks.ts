// Hooks of Claude Code: entries in its settings. For a project they go into settings.local.json, never into the settings.json
// that is committed: the command holds paths of this machine, and 2.1.325 reads the local file from worktrees and subfolders too.
import { join, relative } from 'node:path'
import { askGit } from '../../lib/ask-git.ts'
import { editFile, readText } from '../../lib/edit-file.ts'
import { isObject } from '../../lib/jsonl.ts'
import type { HookStatus } from '../../model/capture.ts'
import { AppError } from '../../model/error.ts'
import type { AgentEnv } from '../agent-env.ts'
import { type FoundMark, hookLine } from '../hook-command.ts'
import { findOurHooks, type HookEntry, installHooks, uninstallHooks } from '../hook-settings.ts'
import { stateMessages, stateOfHooks } from '../hook-state.ts'
import type { AgentHooks, HookCommand, HookScope } from '../hooks.ts'
import { configFolder } from './folders.ts'
import { whyHooksAreOff } from './hooks-off.ts'

/** Longer than the hook program takes at most: it ends by itself before Claude Code ends it. */
const entries: readonly HookEntry[] = [
  { event: 'UserPromptSubmit', timeoutSeconds: 15 },
  { event: 'Stop', timeoutSeconds: 15 },
  { event: 'SessionEnd', timeoutSeconds: 15 },
]

export const claudeHooks: AgentHooks = {
  /** Adds to the settings there are. A file, not JSON in the command: people read and paste that. */
  async forRun(_env, command, folder) {
    const file = join(folder, 'run', 'claude-hooks.json')
    await editFile(file, () => installHooks(null, file, entries, () => hookLine(command, 'claude', 'new')))
    return [`--settings=${file}`]
  },

  async install(env, scope, command) {
    const file = settingsFile(env, scope)
    const changed = await editFile(file, (text) => installHooks(text, file, entries, lineFor(command)))
    const notes = scope.kind === 'project' ? await noteIfTracked(env, scope.root, file) : []
    const { state, message } = await claudeHooks.status(env, scope, command)
    return { changed, files: changed ? [file] : [], notes: state === 'installed' ? notes : [...notes, message] }
  },

  async uninstall(env, scope) {
    const file = settingsFile(env, scope)
    const changed = await editFile(file, (text) => (text === null || text.trim() === '' ? text : uninstallHooks(text, file)))
    return { changed, files: changed ? [file] : [], notes: [] }
  },

  async status(env, scope, command): Promise<HookStatus> {
    const file = settingsFile(env, scope)
    const answer = { agent: 'claude', scope: scope.kind, file, way: 'hooks' } as const
    try {
      const text = await readText(file)
      const isBlank = text === null || text.trim() === ''
      const state = isBlank ? 'absent' : stateOfHooks(findOurHooks(text, file), entries, lineFor(command))
      const why = isBlank || state === 'absent' ? null : (whyNotRead(text) ?? (await whyHooksAreOff(env, scope.root ?? null)))
      if (why !== null) return { ...answer, state: 'not_run', message: `installed, but ${why}` }
      return { ...answer, state, message: stateMessages[state] }
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      return { ...answer, state: 'absent', message: error.message }
    }
  },
}

function settingsFile(env: AgentEnv, scope: HookScope): string {
  if (scope.kind === 'user') return join(configFolder(env), 'settings.json')
  return join(scope.root, '.claude', 'settings.local.json')
}

function lineFor(command: HookCommand): (found: FoundMark) => string {
  return (found) => hookLine(command, 'claude', found)
}

/** Claude Code says nothing of hooks it does not run. Seen on 2.1.197 and 2.1.325: one bad group, and all of the file is passed over. */
function whyNotRead(text: string): string | null {
  const settings: unknown = JSON.parse(text.replace(/^\ufeff/, ''))
  if (!isObject(settings)) return null
  const events = isObject(settings.hooks) ? Object.entries(settings.hooks) : []
  const bad = events.find(
    ([, groups]) => !Array.isArray(groups) || !groups.every((group) => isObject(group) && Array.isArray(group.hooks)),
  )
  return bad === undefined ? null : `Claude Code does not read the file: an entry of hooks.${bad[0]} has no list "hooks"`
}

/** Claude Code has git ignore its local settings when it makes them itself; in a file we made, nobody has done that yet. */
async function noteIfTracked({ vars }: AgentEnv, root: string, file: string): Promise<string[]> {
  const { exitCode } = await askGit(['check-ignore', '--quiet', file], { cwd: root, vars })
  if (exitCode !== 1) return []
  return [`${relative(root, file)} holds paths of this machine and is not ignored by git here: add it to .gitignore.`]
}
