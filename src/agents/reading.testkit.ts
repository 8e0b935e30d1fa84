// A session as tests of any agent read it: the file by its path, its entries by what they are.
import { expect } from 'vitest'
import type { Agent, SessionFile } from './agent.ts'
import type { AgentEnv } from './agent-env.ts'
import type { Entry } from './reading.ts'

export function findFile(agent: Agent, env: AgentEnv, path: string): SessionFile {
  const file = [...agent.discover(env)].find((candidate) => candidate.path === path)
  if (file === undefined) throw new Error(`${path} is not discovered`)
  return file
}

export async function collect(entries: AsyncIterable<Entry>): Promise<Entry[]> {
  const all: Entry[] = []
  for await (const entry of entries) all.push(entry)
  return all
}

export const messagesOf = (entries: readonly Entry[]) =>
  entries.flatMap((entry) => (entry.kind === 'message' ? [entry.message] : []))
export const turnsOf = (entries: readonly Entry[]) => entries.flatMap((entry) => (entry.kind === 'turn' ? [entry.turn] : []))

/** Every message stands behind the mark of its turn, and the marks say how many there are. */
export function checkTurns(entries: readonly Entry[]): void {
  let current = ''
  const counts = new Map<string, { messages: number; lastMessageId: string | null }>()
  for (const entry of entries) {
    if (entry.kind === 'turn') current = entry.turn.id
    if (entry.kind !== 'message') continue
    expect(entry.message.turnId).toBe(current)
    counts.set(current, { messages: (counts.get(current)?.messages ?? 0) + 1, lastMessageId: entry.message.id })
  }
  for (const { id, messages, lastMessageId } of turnsOf(entries)) {
    expect({ messages, lastMessageId }, `turn ${id}`).toEqual(counts.get(id) ?? { messages: 0, lastMessageId: null })
  }
}
