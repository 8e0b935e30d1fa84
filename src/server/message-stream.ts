// A transcript on its way out, message by message: however long it is, only what the client is ready for is in memory.

import type { Entry } from '../agents/reading.ts'
import type { MessagePage } from '../catalog/read-page.ts'
import { safeJson } from '../lib/safe-json.ts'
import type { Message } from '../model/session.ts'

export interface Page {
  /** Index of the first message wanted. */
  readonly from: number
  /** Absent: to the end. */
  readonly limit?: number
}

export interface Numbered {
  readonly message: Message
  readonly index: number
}

/** Gives the index behind which there is more, or `null` at the end. */
export async function* messagesOf(entries: AsyncIterable<Entry>, { from, limit }: Page): AsyncGenerator<Numbered, number | null> {
  let index = -1
  for await (const entry of entries) {
    if (entry.kind !== 'message') continue
    index += 1
    if (limit !== undefined && index >= from + limit) return index
    if (index >= from) yield { message: entry.message, index }
  }
  return null
}

/** A page that is in memory already, as the same kind of stream. */
export async function* pageOf({ first, messages, next }: Omit<MessagePage, 'turns'>): AsyncGenerator<Numbered, number | null> {
  for (const [at, message] of messages.entries()) yield { message, index: first + at }
  return next
}

/** The last so many of a session of which only the whole can tell: nothing before them is kept. */
export async function readLast(entries: AsyncIterable<Entry>, last: number): Promise<Omit<MessagePage, 'turns'>> {
  const ring: Message[] = []
  let count = 0
  for await (const entry of entries) {
    if (entry.kind !== 'message') continue
    ring[count % last] = entry.message
    count += 1
  }
  const split = count % last
  const messages = count <= last ? ring : [...ring.slice(split), ...ring.slice(0, split)]
  return { first: count - messages.length, messages, next: null }
}

export type Format = 'json' | 'ndjson'

/** What the caller would rather have; JSON unless lines are asked for. */
export function formatFor(accept: string | undefined): Format {
  return accept !== undefined && /\bapplication\/(?:x-)?(?:nd)?jsonl?\b/.exec(accept)?.[0].match(/ndjson|jsonl/)
    ? 'ndjson'
    : 'json'
}

export interface DocumentOptions {
  /** Index of the first message. */
  readonly first: number
  readonly format: Format
  readonly render: (message: Message) => Promise<unknown>
  /** A fault after the answer has begun: its last words. */
  readonly toError: (error: unknown) => unknown
}

const chunkLength = 32 * 1024

/** One JSON document `{first, messages: [...], next?}`, or a message a line. Reads the first message before it answers, so that a fault there is a fault of the request. */
export async function streamMessages(
  messages: AsyncGenerator<Numbered, number | null>,
  { first, format, render, toError }: DocumentOptions,
): Promise<ReadableStream<Uint8Array>> {
  const encoder = new TextEncoder()
  const isJson = format === 'json'
  let step = await messages.next()
  let text = isJson ? `{"first":${first},"messages":[` : ''
  let isFirst = true

  async function fill(): Promise<boolean> {
    while (text.length < chunkLength) {
      if (step.done === true) {
        if (isJson) text += step.value === null ? ']}' : `],"next":"${step.value}"}`
        return true
      }
      const message = safeJson(await render(step.value.message))
      if (isJson) text += isFirst ? message : `,${message}`
      else text += `${message}\n`
      isFirst = false
      step = await messages.next()
    }
    return false
  }

  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        let isDone: boolean
        try {
          isDone = await fill()
        } catch (error) {
          const last = safeJson(toError(error))
          text += isJson ? `],"error":${last}}` : `{"error":${last}}\n`
          isDone = true
        }
        if (text !== '') controller.enqueue(encoder.encode(text))
        text = ''
        if (isDone) controller.close()
      },
      async cancel() {
        await messages.return(null)
      },
    },
    { highWaterMark: 0 },
  )
}
