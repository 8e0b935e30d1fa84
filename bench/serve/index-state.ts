// How far the server's index has come.
import type { ServerProcess } from './server-process.ts'

interface IndexJson {
  readonly complete: boolean
  readonly sessions: number
  readonly indexed_sessions: number
}

export async function indexOf(server: ServerProcess): Promise<IndexJson> {
  return (await server.json<{ index: IndexJson }>('/health')).index
}

export async function isIndexed(server: ServerProcess): Promise<boolean> {
  const { complete, sessions } = await indexOf(server)
  return complete && sessions > 0
}
