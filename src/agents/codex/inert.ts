// A seed of Codex is no turn at all: the prompt and its acknowledgement are put into a
// fresh thread by an app-server of our own. No model is asked, and the thread keeps the user's own model, sandbox and approvals:
// Codex takes all three from a thread's last turn when it resumes it (0.166), so a turn with others would stick.
import { existsSync } from 'node:fs'
import { isObject } from '../../lib/jsonl.ts'
import { anySize, readRegularText } from '../../lib/regular-file.ts'
import { AppError } from '../../model/error.ts'
import type { AgentEnv } from '../agent-env.ts'
import type { AgentInert, SeededSession, SeedRequest } from '../inert.ts'
import { withAppServer } from './app-server.ts'
import { readMcpServers } from './effective-config.ts'
import { textOrNull } from './lines.ts'

export const codexInert: AgentInert = { seed }

async function seed(env: AgentEnv, request: SeedRequest): Promise<SeededSession> {
  const { promptPath, cwd, title, model, acknowledgement } = request
  const flags = await inertFlags(env, cwd)
  const text = readRegularText(promptPath, anySize)
  return withAppServer(env, { cwd, flags }, async (server) => {
    const { thread } = await server.request('thread/start', { cwd, ...(model === null ? {} : { model }) })
    const sessionId = isObject(thread) ? textOrNull(thread.id) : null
    const path = isObject(thread) ? textOrNull(thread.path) : null
    if (sessionId === null || path === null) throw new AppError('failed', 'Codex started a thread, but did not say which.')
    const items = [
      { type: 'message', role: 'user', content: [{ type: 'input_text', text }] },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: acknowledgement }] },
    ]
    await server.request('thread/inject_items', { threadId: sessionId, items })
    await server.request('thread/name/set', { threadId: sessionId, name: title })
    if (!existsSync(path)) throw new AppError('failed', `Codex took the seed, but left no file of its thread ${sessionId}.`)
    return { sessionId, path }
  })
}

/**
 * No hooks, no notify, no MCP servers, no login shell and no look for plugins. Servers have to be named: an empty table is merged
 * into the user's, and one that names an unknown server is refused.
 */
async function inertFlags(env: AgentEnv, cwd: string): Promise<string[]> {
  const off = (await readMcpServers(env, cwd)).map((name) => `${JSON.stringify(name)}={enabled=false}`)
  return [
    '--config=features.hooks=false',
    '--config=features.plugins=false',
    '--config=features.shell_snapshot=false',
    '--config=notify=[]',
    ...(off.length === 0 ? [] : [`--config=mcp_servers={${off.join(',')}}`]),
  ]
}
