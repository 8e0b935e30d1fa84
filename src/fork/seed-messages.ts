// What a seed holds of a session: what the person and the agent said and did. Text of the agent's harness would be orders to
// another agent, and names folders and modes that are not the child's: it is left out and counted.
import type { Agent } from '../agents/agent.ts'
import type { Entry } from '../agents/reading.ts'
import type { Message } from '../model/session.ts'

export interface Dropped {
  /** Messages of which nothing is left. */
  messages: number
  characters: number
}

export async function* messagesForSeed(
  agent: Agent,
  entries: AsyncIterable<Entry> | Iterable<Entry>,
  dropped: Dropped = { messages: 0, characters: 0 },
): AsyncGenerator<Message> {
  for await (const entry of entries) {
    if (entry.kind !== 'message') continue
    const said = agent.withoutHarness(entry.message)
    if (said === null) dropped.messages += 1
    else yield said
    dropped.characters += (entry.message.leftOut ?? 0) + lengthOf(entry.message) - lengthOf(said)
  }
}

function lengthOf(message: Message | null): number {
  return message === null ? 0 : message.text.length + (message.tool?.output?.length ?? 0)
}
