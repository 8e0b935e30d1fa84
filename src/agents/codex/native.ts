// A fork by Codex itself: `thread/fork` of the app-server. It starts no turn, takes no lock on the source, and makes the file at
// once. What an old version does not know it ignores (0.142 would fork the whole thread for any turn), so its version decides.
import { existsSync, rmSync } from 'node:fs'
import { isFolder } from '../../lib/is-folder.ts'
import { isObject } from '../../lib/jsonl.ts'
import { AppError } from '../../model/error.ts'
import type { Cut } from '../../model/fork.ts'
import type { SessionFile } from '../agent.ts'
import type { AgentEnv } from '../agent-env.ts'
import type { ForkedFile, ForkTarget } from '../forking.ts'
import { canExcludeTurns, canForkAtTurn } from './abilities.ts'
import { type AppServer, withAppServer } from './app-server.ts'
import { whyNotNative, whyNotOld } from './choose-fork.ts'
import { type ForkPoint, findForkPoint, refuseRunning } from './fork-point.ts'
import { textOrNull } from './lines.ts'
import { isBusy } from './live.ts'

export async function forkNatively(source: SessionFile, env: AgentEnv, cut: Cut, target: ForkTarget): Promise<ForkedFile> {
  const point = await findForkPoint(source, env, cut)
  if (point.isOpen && isBusy(source, env)) refuseRunning(source, point)
  const obstacle = whyNotNative(source, cut, point)
  if (obstacle !== null) throw impossible(source, obstacle)
  // Codex does not look: it would fork into a folder that is not there.
  if (!isFolder(target.cwd)) {
    throw new AppError('failed', `${target.cwd} is no folder.`)
  }
  return withAppServer(env, { cwd: target.cwd }, (server) => fork(server, source, point, cut, target))
}

function impossible({ id }: SessionFile, obstacle: string): AppError {
  return new AppError('failed', `codex:${id} cannot be forked natively there: ${obstacle}.`)
}

async function fork(
  server: AppServer,
  source: SessionFile,
  point: ForkPoint,
  cut: Cut,
  { cwd, title }: ForkTarget,
): Promise<ForkedFile> {
  const version = server.version ?? '0'
  const atTurn = canForkAtTurn(version)
  const obstacle = atTurn ? null : whyNotOld(cut, point, version)
  if (obstacle !== null) throw impossible(source, obstacle)
  // At the tip too: a turn that starts meanwhile must not come along in half.
  const lastTurn = atTurn ? { lastTurnId: point.turn?.id } : {}
  const answer = canExcludeTurns(version) ? { excludeTurns: true } : {}
  const { thread } = await server.request('thread/fork', { threadId: source.id, cwd, ...lastTurn, ...answer })
  const sessionId = isObject(thread) ? textOrNull(thread.id) : null
  const path = isObject(thread) ? textOrNull(thread.path) : null
  if (sessionId === null || path === null || sessionId === source.id || !existsSync(path)) {
    throw new AppError('failed', `Codex forked ${source.id}, but left no file of the fork ${sessionId ?? ''}.`)
  }
  try {
    await server.request('thread/name/set', { threadId: sessionId, name: title })
  } catch (error) {
    rmSync(path, { force: true })
    throw error
  }
  return { sessionId, path, created: [path] }
}
