// Asks Codex itself which of our hooks it sees and trusts: the only one who knows for a version that was never tried.
import { isObject } from '../../lib/jsonl.ts'
import { AppError } from '../../model/error.ts'
import type { AgentEnv } from '../agent-env.ts'
import { foundMark } from '../hook-command.ts'
import { withAppServer } from './app-server.ts'

const timeoutMs = 15_000

export interface ListedHooks {
  /** How many of our hooks it sees. */
  readonly count: number
  /** Of those it does not trust: the hash it makes of them, by the name it gives them. */
  readonly untrusted: ReadonlyMap<string, string>
}

export async function listHooks(env: AgentEnv, cwd: string, file: string): Promise<ListedHooks | { readonly problem: string }> {
  try {
    const answer = await withAppServer(env, { cwd, timeoutMs }, (server) => server.request('hooks/list', { cwds: [cwd] }))
    const hooks = placesOf(answer.data).filter(({ sourcePath, command }) => sourcePath === file && isOurs(command))
    const untrusted = hooks.filter(({ trustStatus }) => trustStatus !== 'trusted')
    return {
      count: hooks.length,
      untrusted: new Map(untrusted.map(({ key, currentHash }) => [String(key), String(currentHash)])),
    }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { problem: `Codex could not be asked whether it runs these hooks: ${error.message}` }
  }
}

function placesOf(data: unknown): Record<string, unknown>[] {
  const places = Array.isArray(data) ? data.filter(isObject) : []
  return places.flatMap(({ hooks }) => (Array.isArray(hooks) ? hooks.filter(isObject) : []))
}

function isOurs(command: unknown): boolean {
  return typeof command === 'string' && foundMark(command) !== null
}
