// The settings Codex would run with in a folder, as it says itself: the user's own, a trusted project's, managed ones.
import { isObject } from '../../lib/jsonl.ts'
import type { AgentEnv } from '../agent-env.ts'
import { type AppServer, withAppServer } from './app-server.ts'
import { type Body, textOrNull } from './lines.ts'

/** A look at settings takes a fifth of a second; a plan must not wait for one that hangs. */
const timeoutMs = 15_000

/** Names of all MCP servers, those that are switched off included. */
export async function readMcpServers(env: AgentEnv, cwd: string): Promise<string[]> {
  const { mcp_servers: servers } = await withAppServer(env, { cwd, timeoutMs }, (server) => readConfig(server, cwd))
  return isObject(servers) ? Object.keys(servers) : []
}

/** The model that is set, else the one Codex chooses itself; `null` where it does not say. */
export async function defaultModel(env: AgentEnv, cwd: string): Promise<string | null> {
  return withAppServer(env, { cwd, timeoutMs }, async (server) => {
    const { model } = await readConfig(server, cwd)
    if (typeof model === 'string') return model
    const { data } = await server.request('model/list', {})
    const models = Array.isArray(data) ? data.filter(isObject) : []
    return textOrNull(models.find(({ isDefault }) => isDefault === true)?.model)
  })
}

async function readConfig(server: AppServer, cwd: string): Promise<Body> {
  const { config } = await server.request('config/read', { cwd, includeLayers: false })
  return isObject(config) ? config : {}
}
