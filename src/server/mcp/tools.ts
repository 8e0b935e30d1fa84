// Every tool there is.
import type { Tool } from './tool.ts'
import { forkSession } from './tools/fork-session.ts'
import { forkWorker } from './tools/fork-worker.ts'
import { listSessions } from './tools/list-sessions.ts'
import { listTurns } from './tools/list-turns.ts'
import { listWorkers } from './tools/list-workers.ts'
import { readSession } from './tools/read-session.ts'
import { searchSessions } from './tools/search-sessions.ts'
import { sendToWorker } from './tools/send-to-worker.ts'
import { sessionTree } from './tools/session-tree.ts'
import { smartFork } from './tools/smart-fork.ts'
import { spawnWorkers } from './tools/spawn-workers.ts'

export const tools: readonly Tool[] = [
  smartFork,
  searchSessions,
  listSessions,
  readSession,
  listTurns,
  forkSession,
  spawnWorkers,
  listWorkers,
  sendToWorker,
  forkWorker,
  sessionTree,
]
