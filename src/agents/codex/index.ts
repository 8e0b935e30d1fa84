// OpenAI Codex CLI: threads as rollout files, in both generations (legacy copies, paginated references).
import type { Agent } from '../agent.ts'
import { probeAbilities } from './abilities.ts'
import { discover } from './discover.ts'
import { listLive } from './live.ts'
import { read } from './read.ts'
import { sessionsFolder } from './rollout-files.ts'
import { summarise } from './summary.ts'

export const codex: Agent = {
  id: 'codex',
  label: 'Codex',
  sessionsFolder,
  discover,
  summarise,
  read,
  live: listLive,
  abilities: probeAbilities,
}
