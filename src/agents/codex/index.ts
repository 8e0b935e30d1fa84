// OpenAI Codex CLI: threads as rollout files, in both generations (legacy copies, paginated references).
// What reads a file is loaded with the first file to read: listing unchanged sessions does without.
import type { Agent } from '../agent.ts'
import { lazyHooks } from '../lazy-hooks.ts'
import { commandFor } from './command.ts'
import { arrangeFiles, discover } from './discover.ts'
import { withoutHarness } from './harness.ts'
import { listLive, tellsLive } from './live.ts'
import { forgetNames, namedSince, namesStamp } from './names.ts'
import { sessionsFolder } from './rollout-files.ts'

export const codex: Agent = {
  id: 'codex',
  label: 'Codex',
  choosesIds: true,
  sessionsFolder,
  sessionsDepth: 3,
  discover,
  arrangeFiles,
  namesStamp,
  namedSince,
  missingFiles: async (...args) => (await import('./history.ts')).missingFiles(...args),
  summarise: async (file, env, previous) => (await import('./summary.ts')).summarise(file, env, previous),
  async *read(file, env, options) {
    yield* (await import('./read.ts')).read(file, env, options)
  },
  readStretch: async (...args) => (await import('./read-stretch.ts')).readStretch(...args),
  dependents: async (file, env) => (await import('./dependents.ts')).listDependents(file, env),
  live: (env) => listLive(env),
  tellsLive: () => tellsLive(),
  abilities: async (env) => (await import('./abilities.ts')).probeAbilities(env),
  chooseFork: async (...args) => (await import('./choose-fork.ts')).chooseFork(...args),
  writePrefix: async (...args) => (await import('./prefix.ts')).writePrefix(...args),
  forgetForks: forgetNames,
  forkNatively: async (...args) => (await import('./native.ts')).forkNatively(...args),
  startSession: async (...args) => (await import('./start.ts')).startSession(...args),
  command: commandFor,
  withoutHarness,
  inert: async () => (await import('./inert.ts')).codexInert,
  defaultModel: async (env, cwd) => (await import('./effective-config.ts')).defaultModel(env, cwd),
  hooks: lazyHooks(async () => (await import('./hooks.ts')).codexHooks),
  readEdits: async (...args) => (await import('./edits.ts')).readEdits(...args),
  runs: async () => (await import('./runs.ts')).codexRuns,
}
