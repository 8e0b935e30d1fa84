// A loopback stand-in of the Messages API: deterministic answers (script.ts), every request kept with its session id. It is the
// witness of the oracle: what it received is what the model would have seen.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { Sandbox } from '../lib/sandbox.ts'
import { type WaitOptions, waitUntil } from '../lib/wait.ts'
import { type ApiMessage, type ApiRequest, type Block, lastPrompt } from './messages-api.ts'
import { type Answer, planAnswer } from './script.ts'

export interface LoggedRequest {
  /** From 1, over all sessions. */
  readonly number: number
  /** The id of the message it is answered with. */
  readonly answerId: string
  /** Header `x-claude-code-session-id`. */
  readonly sessionId: string | null
  readonly kind: Answer['kind']
  readonly model: string
  readonly prompt: string
  readonly messages: readonly ApiMessage[]
  /** Names of the tools that were offered. */
  readonly tools: readonly string[]
  /** The system prompt's texts. */
  readonly system: readonly string[]
  /** What the answer said it cost; zero for an answer that was never given. */
  readonly inputTokens: number
  readonly outputTokens: number
}

export interface ApiStandIn {
  readonly url: string
  readonly requests: readonly LoggedRequest[]
  /** Waits for a request whose prompt holds this text. */
  waitForPrompt(text: string, options?: WaitOptions): Promise<LoggedRequest>
  /** Answers that said `[[hold]]` go on. */
  release(): void
  /** True while a request of this session waits for its answer, or for the rest of it. */
  isAnswering(sessionId: string): boolean
  close(): Promise<void>
}

const outputTokens = 10

export async function startApi(sandbox: Sandbox): Promise<ApiStandIn> {
  const requests: LoggedRequest[] = []
  const open = new Map<ServerResponse, unknown>()
  const held = new Set<() => void>()
  const untilReleased = () => new Promise<void>((resolve) => held.add(resolve))
  const server = createServer((incoming, response) => {
    open.set(response, incoming.headers['x-claude-code-session-id'])
    response.once('close', () => open.delete(response))
    answer(incoming, response, requests, untilReleased).catch((error: unknown) => response.destroy(error as Error))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  sandbox.onDispose(close)
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    waitForPrompt: (text, options) =>
      waitUntil(`a request with "${text}"`, () => requests.find(({ kind, prompt }) => kind === 'turn' && prompt.includes(text)), {
        describe: () => `prompts seen: ${JSON.stringify(requests.map(({ kind, prompt }) => `${kind}: ${prompt.slice(0, 80)}`))}`,
        ...options,
      }),
    release: () => {
      for (const resume of held) resume()
      held.clear()
    },
    isAnswering: (sessionId) => [...open.values()].includes(sessionId),
    close,
  }
}

async function answer(
  incoming: IncomingMessage,
  response: ServerResponse,
  requests: LoggedRequest[],
  untilReleased: () => Promise<void>,
): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  const raw = Buffer.concat(chunks).toString('utf8')
  const { pathname } = new URL(incoming.url ?? '/', 'http://loopback')
  if (incoming.method === 'HEAD') return void response.writeHead(200).end() // 2.1.197 asks once per run whether we are there
  if (incoming.method === 'POST' && pathname === '/v1/messages/count_tokens') {
    return sendJson(response, 200, { input_tokens: Math.ceil(raw.length / 4) })
  }
  if (incoming.method !== 'POST' || pathname !== '/v1/messages')
    return sendJson(response, 404, problem('not_found_error', `no ${pathname} here`))

  const request = JSON.parse(raw) as ApiRequest
  const plan = planAnswer(request)
  const number = requests.length + 1
  const inputTokens = 100 * request.messages.length
  const answered = plan.errorStatus === null && plan.hold !== 'before' && plan.hold !== 'midway'
  const sessionId = incoming.headers['x-claude-code-session-id']
  const answerId = `msg_${pad(number)}`
  requests.push({
    number,
    answerId,
    sessionId: typeof sessionId === 'string' ? sessionId : null,
    kind: plan.kind,
    model: request.model,
    prompt: lastPrompt(request.messages).text,
    messages: request.messages,
    tools: (request.tools ?? []).map(({ name }) => name),
    system: (request.system ?? []).map(({ text }) => text),
    inputTokens: answered ? inputTokens : 0,
    outputTokens: answered ? outputTokens : 0,
  })
  if (plan.errorStatus !== null)
    return sendJson(response, plan.errorStatus, problem('invalid_request_error', 'The stand-in was asked to fail.'))
  if (plan.hold === 'before') return // answered by the caller's end
  if (plan.delayMs > 0) await pause(plan.delayMs)

  const content: Block[] = [
    ...(plan.thinking ? [{ type: 'thinking', thinking: 'The stand-in thinks.', signature: 'c3RhbmQtaW4=' } as const] : []),
    { type: 'text', text: plan.text },
    ...plan.calls.map((call, index) => ({ type: 'tool_use', id: `toolu_${pad(number)}${pad(index + 1)}`, ...call }) as const),
  ]
  const message = {
    id: answerId,
    type: 'message',
    role: 'assistant',
    model: request.model,
    stop_sequence: null,
    usage: {
      input_tokens: inputTokens,
      output_tokens: outputTokens,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
    },
  }
  const stopReason = plan.calls.length > 0 ? 'tool_use' : 'end_turn'
  response.setHeader('request-id', `req_${pad(number)}`)
  if (request.stream !== true) return sendJson(response, 200, { ...message, content, stop_reason: stopReason })
  const wait = plan.hold === 'until released' ? untilReleased : null
  await streamMessage(response, { ...message, content: [], stop_reason: null }, content, {
    stopReason: plan.hold === 'midway' ? null : stopReason,
    wait,
  })
}

interface StreamEnd {
  /** `null` leaves the stream open after the content. */
  readonly stopReason: string | null
  /** Holds the last block back after its first piece. */
  readonly wait: (() => Promise<void>) | null
}

/** Server-sent events in the order of the real API. */
async function streamMessage(
  response: ServerResponse,
  message: object,
  content: readonly Block[],
  { stopReason, wait }: StreamEnd,
): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
  const send = (type: string, data: object) => response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`)
  send('message_start', { message })
  for (const [index, block] of content.entries()) {
    const { start, deltas } = inPieces(block)
    send('content_block_start', { index, content_block: start })
    for (const [piece, delta] of deltas.entries()) {
      if (piece > 0 && wait !== null && index === content.length - 1) await wait()
      send('content_block_delta', { index, delta })
    }
    if (stopReason !== null) send('content_block_stop', { index })
  }
  if (stopReason === null) return
  send('message_delta', { delta: { stop_reason: stopReason, stop_sequence: null }, usage: { output_tokens: outputTokens } })
  send('message_stop', {})
  response.end()
}

function inPieces(block: Block): { start: object; deltas: object[] } {
  switch (block.type) {
    case 'text':
      return {
        start: { type: 'text', text: '' },
        deltas: inHalves(block.text).map((text) => ({ type: 'text_delta', text })),
      }
    case 'thinking':
      return {
        start: { type: 'thinking', thinking: '', signature: '' },
        deltas: [
          { type: 'thinking_delta', thinking: block.thinking },
          { type: 'signature_delta', signature: block.signature },
        ],
      }
    case 'tool_use':
      return {
        start: { type: 'tool_use', id: block.id, name: block.name, input: {} },
        deltas: [{ type: 'input_json_delta', partial_json: JSON.stringify(block.input) }],
      }
    case 'tool_result':
    case 'tool_addition':
      throw new Error(`a model sends no ${block.type}`)
  }
}

function inHalves(text: string): string[] {
  const half = Math.ceil(text.length / 2)
  return [text.slice(0, half), text.slice(half)]
}

function problem(type: string, message: string): object {
  return { type: 'error', error: { type, message } }
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

function pad(value: number): string {
  return String(value).padStart(4, '0')
}
