// Compares two conversations message by message as they are read; ids and times may differ, nothing else.
import { isDeepStrictEqual } from 'node:util'
import type { Entry } from '../agents/agent.ts'
import type { Message } from '../model/session.ts'

export interface Comparison {
  /** Messages that are in both. */
  readonly same: number
  /** What is different first; `null` when the child begins with all of the parent's messages. */
  readonly difference: string | null
  /** Messages of the child beyond the parent's. */
  readonly extra: number
  /** Calls without a result, which both have. */
  readonly openCalls: number
}

/** `neutral` takes out of a text what must differ: the folder of the session's own files. */
export async function compareMessages(
  parent: AsyncIterable<Entry>,
  child: AsyncIterable<Entry>,
  neutral: (text: string) => string,
): Promise<Comparison> {
  const theirs = messagesOf(parent)
  const ours = messagesOf(child)
  let same = 0
  let openCalls = 0
  try {
    for (;;) {
      const [expected, found] = await Promise.all([theirs.next(), ours.next()])
      if (expected.done) return { same, difference: null, extra: found.done ? 0 : 1 + (await countRest(ours)), openCalls }
      if (found.done) return { same, difference: `message ${same + 1} is missing`, extra: 0, openCalls }
      const field = findDifference(expected.value, found.value, neutral)
      if (field !== null) return { same, difference: `message ${same + 1} has another ${field}`, extra: 0, openCalls }
      same += 1
      if (found.value.tool?.output === null) openCalls += 1
    }
  } finally {
    await theirs.return(undefined)
    await ours.return(undefined)
  }
}

async function* messagesOf(entries: AsyncIterable<Entry>): AsyncGenerator<Message, undefined> {
  for await (const entry of entries) if (entry.kind === 'message') yield entry.message
  return undefined
}

async function countRest(messages: AsyncIterable<Message>): Promise<number> {
  let count = 0
  for await (const _ of messages) count += 1
  return count
}

function findDifference(expected: Message, found: Message, neutral: (text: string) => string): string | null {
  const equal = (a: string | null | undefined, b: string | null | undefined) =>
    a === b || (typeof a === 'string' && typeof b === 'string' && neutral(a) === neutral(b))
  if (expected.role !== found.role) return 'role'
  if (!equal(expected.text, found.text)) return 'text'
  if (!equal(expected.thinking, found.thinking)) return 'thinking'
  const [a, b] = [expected.tool, found.tool]
  if (a === undefined || b === undefined) return a === b ? null : 'tool call'
  if (a.name !== b.name) return 'tool'
  if (!isDeepStrictEqual(a.arguments, b.arguments) && !equal(JSON.stringify(a.arguments), JSON.stringify(b.arguments))) {
    return 'arguments'
  }
  if (!equal(a.output, b.output)) return 'output'
  return a.exitCode === b.exitCode ? null : 'exit code'
}
