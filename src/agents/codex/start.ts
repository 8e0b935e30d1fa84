// A thread of Codex's own making that nobody has prompted yet. `thread/start` alone leaves no file; giving the thread a name makes
// Codex write it, and then `codex resume <id>` opens it. Tried with 0.142 and 0.166: nothing else harmless does it on both.
import { existsSync } from 'node:fs'
import { isFolder } from '../../lib/is-folder.ts'
import { isObject } from '../../lib/jsonl.ts'
import { AppError } from '../../model/error.ts'
import type { AgentEnv } from '../agent-env.ts'
import type { ForkedFile, StartTarget } from '../forking.ts'
import { withAppServer } from './app-server.ts'
import { textOrNull } from './lines.ts'

export async function startSession(env: AgentEnv, { cwd, title }: StartTarget): Promise<ForkedFile> {
  if (!isFolder(cwd)) throw new AppError('failed', `${cwd} is no folder.`)
  return withAppServer(env, { cwd }, async (server) => {
    const { thread } = await server.request('thread/start', { cwd })
    const sessionId = isObject(thread) ? textOrNull(thread.id) : null
    const path = isObject(thread) ? textOrNull(thread.path) : null
    if (sessionId === null || path === null) throw new AppError('failed', 'Codex started a thread, but did not say which.')
    await server.request('thread/name/set', { threadId: sessionId, name: title })
    if (!existsSync(path)) throw new AppError('failed', `Codex started the thread ${sessionId}, but left no file of it.`)
    return { sessionId, path, created: [path] }
  })
}
