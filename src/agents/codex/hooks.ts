// Hooks of Codex: entries in hooks.json, each with its hash in config.toml, without which Codex skips it. A Codex from before
// hooks is told by `notify` instead.
import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { editFile, readText } from '../../lib/edit-file.ts'
import { isMissing } from '../../lib/file-errors.ts'
import { isObject } from '../../lib/jsonl.ts'
import type { HookState, HookStatus } from '../../model/capture.ts'
import { AppError } from '../../model/error.ts'
import type { AgentEnv } from '../agent-env.ts'
import { type FoundMark, hookLine } from '../hook-command.ts'
import { findOurHooks, type HookEntry, installHooks, type OurHook, uninstallHooks } from '../hook-settings.ts'
import { stateMessages, stateOfHooks } from '../hook-state.ts'
import type { AgentHooks, HookChange, HookCommand, HookScope } from '../hooks.ts'
import { probeAbilities } from './abilities.ts'
import { configFile, editConfig, parseConfig } from './config-file.ts'
import { addTrust, hashesOf, moveTrust, readTrust, removeTrust, type Trust, trustKey } from './hook-trust.ts'
import { addNotify, isOurNotify, notifyWords, readNotify, removeNotify, theirNotify } from './notify.ts'
import { codexHome } from './rollout-files.ts'

/** 0.166 cuts SessionEnd and Interrupt to 3 s and complains of more; 0.142 knows neither and passes them over. */
const entries: readonly HookEntry[] = [
  { event: 'UserPromptSubmit', timeoutSeconds: 10 },
  { event: 'Stop', timeoutSeconds: 10 },
  { event: 'Interrupt', timeoutSeconds: 3 },
  { event: 'SessionEnd', timeoutSeconds: 3 },
]

export const codexHooks: AgentHooks = {
  async forRun(env, command, folder) {
    if (!(await hasHooks(env))) {
      const file = configFile(env)
      const theirs = theirNotify(readNotify((await readText(file)) ?? '', file), command.argv.length)
      return [`--config=notify=${JSON.stringify(notifyWords(command, theirs))}`]
    }
    return (await import('./run-hooks.ts')).hookFlags(entries, command, folder)
  },

  async install(env, scope, command) {
    if (await hasHooks(env)) return installIntoHooks(env, scope, command)
    refuseProject(scope)
    const file = configFile(env)
    const changed = await editConfig(file, (text) => addNotify(text, file, command))
    return { changed, files: changed ? [file] : [], notes: ['This Codex has no hooks: it tells us of finished turns only.'] }
  },

  async uninstall(env, scope) {
    const [hooks, config] = [hooksFile(env, scope), configFile(env)]
    const files: string[] = []
    let ours: readonly OurHook[] = []
    const changed = await editFile(hooks, (text) => {
      if (text === null || text.trim() === '') return text
      ours = findOurHooks(text, hooks)
      return uninstallHooks(text, hooks)
    })
    if (changed) files.push(hooks)
    const keys = ours.map(({ event, group, handler }) => trustKey(realPath(hooks), event, group, handler))
    // A removal that was cut off after the file was gone has left its hashes, which stand for nothing.
    const isGone = (await readText(hooks)) === null
    const clear = (text: string) => {
      const trusts = readTrust(text, config)
      const left = isGone ? [...trusts.keys()].filter((key) => key.startsWith(`${realPath(hooks)}:`)) : []
      const without = removeTrust(text, config, [...new Set([...keys, ...left])], moveTrust(trusts, realPath(hooks), ours))
      return scope.kind === 'user' ? removeNotify(without, config) : without
    }
    if ((await readText(config)) !== null && (await editConfig(config, clear))) files.push(config)
    return { changed: files.length > 0, files, notes: [] }
  },

  async status(env, scope, command) {
    const file = hooksFile(env, scope)
    const answer = { agent: 'codex', scope: scope.kind } as const
    try {
      if (!(await hasHooks(env))) return { ...answer, ...(await notifyStatus(env, scope, command)) }
      const { state, message } = await hooksStatus(env, scope, command)
      return { ...answer, file, way: 'hooks', state, message }
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      return { ...answer, file, way: 'hooks', state: 'absent', message: error.message }
    }
  },
}

async function installIntoHooks(env: AgentEnv, scope: HookScope, command: HookCommand): Promise<HookChange> {
  const [hooks, config] = [hooksFile(env, scope), configFile(env)]
  const add = (text: string | null) => installHooks(text, hooks, entries, lineFor(command))
  const trustIn = (text: string, hooksText: string) =>
    addTrust(removeNotify(text, config), config, hashesOf(realPath(hooks), findOurHooks(hooksText, hooks)))
  // Before anything is written: Codex passes over hooks whose trust could not be added.
  trustIn((await readText(config)) ?? '', add(await readText(hooks)))
  const files: string[] = []
  let before: string | null = null
  const change = (text: string | null) => {
    before = text
    return add(text)
  }
  if (await editFile(hooks, change)) files.push(hooks)
  const written = (await readText(hooks)) ?? '{}'
  try {
    if (await editConfig(config, (text) => trustIn(text, written))) files.push(config)
  } catch (error) {
    if (files.length > 0) await editFile(hooks, (text) => (text === written ? before : text))
    throw error
  }
  if (!(await probeAbilities(env)).installed) return { changed: files.length > 0, files, notes: [] }
  const { listHooks } = await import('./list-hooks.ts')
  const listed = await listHooks(env, folderOf(env, scope), realPath(hooks))
  if ('problem' in listed) return { changed: files.length > 0, files, notes: [listed.problem] }
  // The hash is ours to make for the versions that were tried; another may make it differently, and then says so.
  if (await editConfig(config, (text) => addTrust(text, config, listed.untrusted))) files.push(config)
  const notes = listed.count === 0 ? [notListed(scope)] : []
  return { changed: files.length > 0, files: [...new Set(files)], notes }
}

function notListed({ kind }: HookScope): string {
  return kind === 'project'
    ? 'Codex passes over the hooks of a project it does not trust: start codex there once and say that you trust it.'
    : 'Codex does not list these hooks: its feature `hooks` may be switched off in config.toml.'
}

async function hooksStatus(
  env: AgentEnv,
  scope: HookScope,
  command: HookCommand,
): Promise<Pick<HookStatus, 'state' | 'message'>> {
  const [hooks, config] = [hooksFile(env, scope), configFile(env)]
  const text = await readText(hooks)
  const ours = text === null || text.trim() === '' ? [] : findOurHooks(text, hooks)
  const state = stateOfHooks(ours, entries, lineFor(command))
  if (state !== 'installed') return { state, message: stateMessages[state] }
  const configText = (await readText(config)) ?? ''
  const trusts = readTrust(configText, config)
  const hashes = [...hashesOf(realPath(hooks), ours)]
  const off = hashes.some(([key]) => trusts.get(key)?.enabled === false)
  if (off) return { state: 'not_run', message: 'installed, but switched off in config.toml' }
  if (isFeatureOff(configText, config))
    return { state: 'not_run', message: 'installed, but `hooks = false` under [features] in config.toml: Codex runs none' }
  if (scope.kind === 'project' && !isTrustedProject(configText, config, scope.root))
    return { state: 'not_trusted', message: notListed(scope) }
  const trusted: HookState = (await isTrusted(env, scope, hashes, trusts)) ? 'installed' : 'not_trusted'
  return { state: trusted, message: stateMessages[trusted] }
}

/** A hash other than the one we make may be that of a version that makes it differently: such a one is asked. */
async function isTrusted(
  env: AgentEnv,
  scope: HookScope,
  hashes: readonly (readonly [key: string, hash: string])[],
  trusts: ReadonlyMap<string, Trust>,
): Promise<boolean> {
  if (hashes.every(([key, hash]) => trusts.get(key)?.hash === hash)) return true
  if (hashes.some(([key]) => (trusts.get(key)?.hash ?? null) === null) || !(await probeAbilities(env)).installed) return false
  const { listHooks } = await import('./list-hooks.ts')
  const listed = await listHooks(env, folderOf(env, scope), realPath(hooksFile(env, scope)))
  return !('problem' in listed) && listed.count > 0 && listed.untrusted.size === 0
}

/** Where Codex is asked from: it lists what it would run in a folder. */
function folderOf(env: AgentEnv, scope: HookScope): string {
  return scope.kind === 'user' ? codexHome(env) : scope.root
}

async function notifyStatus(env: AgentEnv, scope: HookScope, command: HookCommand): Promise<Omit<HookStatus, 'agent' | 'scope'>> {
  const file = configFile(env)
  const words = scope.kind === 'user' ? readNotify((await readText(file)) ?? '', file) : []
  const wanted = notifyWords(command, theirNotify(words, command.argv.length))
  const state = !isOurNotify(words) ? 'absent' : words.join('\0') === wanted.join('\0') ? 'installed' : 'outdated'
  return { file, way: 'notify', state, message: stateMessages[state] }
}

/** Codex then runs no hook at all, without a word. */
function isFeatureOff(text: string, file: string): boolean {
  const { features } = parseConfig(text, file)
  return isObject(features) && features.hooks === false
}

function isTrustedProject(text: string, file: string, root: string): boolean {
  const { projects } = parseConfig(text, file)
  const project = isObject(projects) ? projects[root] : undefined
  return isObject(project) && project.trust_level === 'trusted'
}

/** Without an installed Codex the one that will come is taken to be a present one. */
async function hasHooks(env: AgentEnv): Promise<boolean> {
  const { installed, version, hooks } = await probeAbilities(env)
  return !installed || version === null || hooks
}

function refuseProject({ kind }: HookScope): void {
  if (kind === 'user') return
  throw new AppError('refused', 'This Codex has no hooks, and `notify` is for all projects at once.', {
    hint: 'Install without `--project`, or update Codex.',
  })
}

function hooksFile(env: AgentEnv, scope: HookScope): string {
  return scope.kind === 'user' ? join(codexHome(env), 'hooks.json') : join(scope.root, '.codex', 'hooks.json')
}

/** Codex names a hook by its folder's real path; a link in place of the file itself it leaves alone. */
function realPath(file: string): string {
  try {
    return join(realpathSync(join(file, '..')), 'hooks.json')
  } catch (error) {
    if (isMissing(error)) return file
    throw error
  }
}

function lineFor(command: HookCommand): (found: FoundMark) => string {
  return (found) => hookLine(command, 'codex', found)
}
