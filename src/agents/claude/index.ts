// Claude Code as an agent: its sessions are trees of JSON lines, one file per session, one folder per working directory.
import type { Agent } from '../agent.ts'
import { probeAbilities } from './abilities.ts'
import { discoverSessions } from './discover.ts'
import { projectsFolder } from './folders.ts'
import { liveSessions } from './live.ts'
import { readSession } from './read.ts'
import { purgeAfterDays } from './retention.ts'
import { sideFiles } from './side-files.ts'
import { summariseSession } from './summary.ts'

export const claude: Agent = {
  id: 'claude',
  label: 'Claude Code',
  sessionsFolder: projectsFolder,
  discover: discoverSessions,
  summarise: (file, _env, previous) => summariseSession(file, previous),
  read: (file, _env, options) => readSession(file.path, options),
  sideFiles,
  purgeAfterDays,
  live: liveSessions,
  abilities: probeAbilities,
}
