// Claude Code as an agent: its sessions are trees of JSON lines, one file per session, one folder per working directory.
// What reads a file is loaded with the first file to read: listing unchanged sessions does without.
import { dirname, join } from 'node:path'
import type { Agent } from '../agent.ts'
import { lazyHooks } from '../lazy-hooks.ts'
import { commandFor } from './command.ts'
import { discoverSessions } from './discover.ts'
import { folderNameOf, folderNameOfPath } from './folder-name.ts'
import { projectsFolder } from './folders.ts'
import { withoutHarness } from './harness.ts'
import { hasRegistry, liveSessions } from './live.ts'
import { purgeAfterDays } from './retention.ts'
import { sideFiles } from './side-files.ts'

export const claude: Agent = {
  id: 'claude',
  label: 'Claude Code',
  prefills: true,
  sessionsFolder: projectsFolder,
  sessionsDepth: 1,
  discover: discoverSessions,
  summarise: async (file, _env, previous) => (await import('./summary.ts')).summariseSession(file, previous),
  async *read(file, _env, options) {
    yield* (await import('./read.ts')).readSession(file.path, options)
  },
  readStretch: async (file, _env, options) => (await import('./read-stretch.ts')).readStretch(file, options),
  async *readBoth(parent, child, _env, options) {
    yield* (await import('./read-both.ts')).readBoth(parent, child, options)
  },
  sideFiles,
  purgeAfterDays,
  live: liveSessions,
  tellsLive: (_env, cliVersion) => hasRegistry(cliVersion),
  abilities: async (env) => (await import('./abilities.ts')).probeAbilities(env),
  chooseFork: async (_source, _env, cut, circumstances) => (await import('./choose-fork.ts')).chooseFork(cut, circumstances),
  holdSource: async (source, _env, cut) => (await import('./prefix.ts')).holdSource(source, cut),
  writePrefix: async (...args) => (await import('./prefix.ts')).writePrefix(...args),
  pathOf: (env, sessionId, cwd) => join(projectsFolder(env), folderNameOfPath(cwd), `${sessionId}.jsonl`),
  isFoundFrom: (env, path, cwd) => dirname(path) === join(projectsFolder(env), folderNameOf(cwd)),
  command: commandFor,
  withoutHarness,
  inert: async () => (await import('./inert.ts')).claudeInert,
  defaultModel: async (env, cwd) => (await import('./default-model.ts')).defaultModel(env, cwd),
  hooks: lazyHooks(async () => (await import('./hooks.ts')).claudeHooks),
  runs: async () => (await import('./runs.ts')).claudeRuns,
  readEdits: async (file, _env, upTo) => (await import('./edits.ts')).readEdits(file, upTo),
}
