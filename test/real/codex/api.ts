// Loopback stand-in of the Responses API: answers by answer.ts and keeps every request by thread, because what a resumed
// session sends is the proof of what its model has seen. The TUI's title thread has a thread id of its own and so never mixes in.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isObject } from '../../../src/lib/jsonl.ts'
import { type Answer, answerTo, titleAnswer, type WireItem } from './answer.ts'

export interface LoggedRequest {
  readonly threadId: string
  /** Of the turn the request belongs to, as `task_started` names it. */
  readonly turnId: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** Model-visible history, in order. */
  readonly input: readonly WireItem[]
  readonly body: WireItem
}

export interface CodexApi {
  /** What belongs into `base_url`. */
  readonly url: string
  readonly requests: readonly LoggedRequest[]
  requestsOf(threadId: string): readonly LoggedRequest[]
  /** Answers that said `[[hold]]` go on. */
  release(): void
  close(): Promise<void>
}

export async function startCodexApi(): Promise<CodexApi> {
  const requests: LoggedRequest[] = []
  const held = new Set<() => void>()
  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined))
  })

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readJson(request)
    if (request.method !== 'POST' || !request.url?.startsWith('/v1/responses')) {
      response.writeHead(404, { 'content-type': 'application/json' }).end('{}')
      return
    }
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
    const input = Array.isArray(body.input) ? body.input.filter(isObject) : []
    const metadata: unknown = JSON.parse(headers['x-codex-turn-metadata'] ?? '{}')
    const { turn_id: turnId, thread_source: source } = isObject(metadata) ? metadata : {}
    requests.push({ threadId: headers['thread-id'] ?? '', turnId: String(turnId), path: request.url, headers, input, body })
    const serial = requests.length
    const answer = source === 'thread_title' ? titleAnswer(serial) : answerTo(body, serial)
    if (answer.failStatus !== undefined) {
      response.writeHead(answer.failStatus, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ error: { message: 'refused by the stand-in', type: 'stand_in', code: 'stand_in' } }))
      return
    }
    await streamAnswer(response, answer, serial, () => new Promise((resolve) => held.add(resolve)))
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    requestsOf: (threadId) => requests.filter((request) => request.threadId === threadId),
    release: () => {
      for (const resume of held) resume()
      held.clear()
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function readJson(request: IncomingMessage): Promise<WireItem> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString('utf8')
  const value: unknown = text === '' ? {} : JSON.parse(text)
  return isObject(value) ? value : {}
}

async function streamAnswer(response: ServerResponse, answer: Answer, serial: number, held: () => Promise<void>): Promise<void> {
  let sequence = 0
  const send = (type: string, fields: WireItem) =>
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence++, ...fields })}\n\n`)
  const whole = { id: `resp_${serial}`, object: 'response', model: 'gpt-5.5' }
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
  send('response.created', { response: { ...whole, status: 'in_progress', output: [] } })
  if (answer.wait === 'hang') return
  for (const [index, item] of answer.items.entries()) {
    const text = messageText(item)
    send('response.output_item.added', { output_index: index, item: text === '' ? item : { ...item, content: [] } })
    const half = Math.ceil(text.length / 2)
    const delta = (part: string) =>
      part !== '' && send('response.output_text.delta', { item_id: item.id, output_index: index, content_index: 0, delta: part })
    delta(text.slice(0, half))
    if (answer.wait === 'hold' && index === answer.items.length - 1) await held()
    delta(text.slice(half))
    send('response.output_item.done', { output_index: index, item })
  }
  const usage = {
    input_tokens: 100,
    input_tokens_details: { cached_tokens: 40 },
    output_tokens: 20,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 120,
  }
  send('response.completed', { response: { ...whole, status: 'completed', output: answer.items, usage } })
  response.end()
}

function messageText(item: WireItem): string {
  const part: unknown = Array.isArray(item.content) ? item.content[0] : undefined
  return isObject(part) && typeof part.text === 'string' ? part.text : ''
}
