// OpenAI Codex CLI: threads as rollout files, in both generations (legacy copies, paginated references).
// What reads a file is loaded with the first file to read: listing unchanged sessions does without.
import type { Agent } from '../agent.ts'
import { discover } from './discover.ts'
import { listLive } from './live.ts'
import { sessionsFolder } from './rollout-files.ts'

export const codex: Agent = {
  id: 'codex',
  label: 'Codex',
  sessionsFolder,
  discover,
  summarise: async (file, env, previous) => (await import('./summary.ts')).summarise(file, env, previous),
  async *read(file, env, options) {
    yield* (await import('./read.ts')).read(file, env, options)
  },
  live: (env) => listLive(env),
  abilities: async (env) => (await import('./abilities.ts')).probeAbilities(env),
}
