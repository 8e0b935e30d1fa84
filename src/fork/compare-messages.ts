// Compares two conversations message by message as they are read; ids and times may differ, nothing else.
import { isDeepStrictEqual } from 'node:util'
import type { Entry, Pair } from '../agents/reading.ts'
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
export async function compareMessages(pairs: AsyncIterable<Pair>, neutral: (text: string) => string): Promise<Comparison> {
  let same = 0
  let extra = 0
  let openCalls = 0
  const differs = (what: string): Comparison => ({ same, difference: `message ${same + 1} ${what}`, extra: 0, openCalls })
  for await (const pair of pairs) {
    if (extra > 0 && (pair.kind === 'same' || pair.parent.length > 0)) return differs("is not the parent's")
    if (pair.kind === 'same') {
      same += pair.messages
      openCalls += pair.openCalls
      continue
    }
    for (const [i, expected] of pair.parent.entries()) {
      const found = pair.child[i]
      if (found === undefined) return differs('is missing')
      const field = findDifference(expected, found, neutral)
      if (field !== null) return differs(`has another ${field}`)
      same += 1
      if (found.tool?.output === null) openCalls += 1
    }
    extra += Math.max(0, pair.child.length - pair.parent.length)
  }
  return { same, difference: null, extra, openCalls }
}

/** Two readings as pairs of single messages. */
export async function* pairMessages(parent: AsyncIterable<Entry>, child: AsyncIterable<Entry>): AsyncGenerator<Pair> {
  const theirs = messagesOf(parent)
  const ours = messagesOf(child)
  try {
    for (;;) {
      const [expected, found] = await Promise.all([theirs.next(), ours.next()])
      if (expected.done === true && found.done === true) return
      const told = (each: IteratorResult<Message, undefined>) => (each.done === true ? [] : [each.value])
      yield { kind: 'told', parent: told(expected), child: told(found) }
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
  if (a.exitCode !== b.exitCode) return 'exit code'
  // A copy may leave out the records that only tell how a call ended; those are never sent to the model.
  return a.failed === null || b.failed === null || a.failed === b.failed ? null : 'failure'
}
