// The moves a scenario makes on a thread through the app-server, the same on both versions where they can be.
import { type AppServer, startAppServer } from '../app-server.ts'
import type { CodexHome } from '../home.ts'
import type { ExpectedTurn, Made } from './scenario.ts'

const numbered = ['One', 'Two', 'Three', 'Four']

export interface Opened {
  readonly server: AppServer
  readonly threadId: string
  readonly turns: readonly (ExpectedTurn & { readonly id: string })[]
}

/** A thread of `count` turns, its app-server still open. */
export async function openThread(home: CodexHome, count: number): Promise<Opened> {
  const server = await startAppServer(home)
  const threadId = await server.startThread(home.work)
  return { server, threadId, turns: await addTurns(server, threadId, numbered.slice(0, count)) }
}

export async function addTurns(
  server: AppServer,
  threadId: string,
  prompts: readonly string[],
): Promise<{ id: string; prompt: string }[]> {
  const turns: { id: string; prompt: string }[] = []
  for (const prompt of prompts) turns.push({ id: (await server.turn(threadId, prompt)).turnId, prompt })
  return turns
}

/** Compacts; this is a turn of its own, without a prompt. */
export async function compact(
  server: AppServer,
  threadId: string,
  turns: Opened['turns'],
): Promise<{ id: string; prompt: string }> {
  await server.request('thread/compact/start', { threadId })
  return { id: await server.otherTurnEnd(turns), prompt: '' }
}

/** Drops the last `count` turns in place: 0.142 appends a mark to the file, 0.166 goes on in a new segment. */
export async function rewind(home: CodexHome, { server, threadId, turns }: Opened, count: number): Promise<void> {
  if (home.version === '0.142.0') await server.rollback(threadId, count)
  else await server.request('thread/revert', { threadId, beforeTurnId: turns.at(-count)?.id })
}

/** Forks after `kept` turns. 0.142 knows no fork point: there the whole thread is forked and the child rolled back. */
export async function forkAt(
  home: CodexHome,
  server: AppServer,
  threadId: string,
  turns: readonly ExpectedTurn[],
  kept: number,
): Promise<Made> {
  const turnId = turns[kept - 1]?.id ?? null
  const old = home.version === '0.142.0'
  const child = await server.fork(threadId, old ? {} : { lastTurnId: turnId })
  if (old && kept < turns.length) await server.rollback(child, turns.length - kept)
  return { threadId: child, turns: turns.slice(0, kept), parent: { threadId, turnId, inherited: kept } }
}

export function afterCompaction<T extends ExpectedTurn>(turns: readonly T[]): T[] {
  return turns.map((turn) => ({ ...turn, afterCompaction: true }))
}
