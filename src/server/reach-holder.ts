// The server of this home, asked to do what only it can: it runs headless workers in its own process, and nobody else may write
// into their sessions meanwhile. The token goes only to who proves to be the server that wrote `server.json`.
import type { ProcessOwner } from '../lib/process-owner.ts'
import { AppError, errorTable } from '../model/error.ts'
import { type PermissionDocument, parsePermission, parseRunEvent, type RunEventDocument } from '../model/parse-worker.ts'
import type { WorkerHolder } from '../model/worker.ts'
import { readKnownToken } from './auth.ts'
import type { Problem } from './problem.ts'
import { readFrames } from './read-frames.ts'
import { findServer, type ServerFile, urlOf } from './server-file.ts'
import { commandLineWords } from './words.ts'

interface Asked {
  readonly method?: 'GET' | 'POST' | 'DELETE'
  readonly json?: object
  readonly accept?: string
  readonly signal?: AbortSignal | undefined
}
type Ask = (path: string, asked?: Asked) => Promise<Response>
type Outcome = Awaited<ReturnType<WorkerHolder['send']>>

/** Whoever has the port may have taken it after the server died; a live one answers this at once. */
const helloMs = 3000

/** `null` where `owner` is no server, or one that cannot be spoken to. */
export async function reachHolder(home: string, owner: ProcessOwner): Promise<WorkerHolder | null> {
  const serving = (await findServer(home))?.owner
  return serving?.pid === owner.pid && serving.startedAt === owner.startedAt ? reachServer(home) : null
}

/** `null` where none runs that could be given the token. */
export async function reachServer(home: string): Promise<WorkerHolder | null> {
  const server = await findServer(home)
  if (server === null || !(await isServer(server))) return null
  const token = await readKnownToken(home)
  return token === null ? null : createHolder(createAsk(server, token))
}

async function isServer(server: ServerFile): Promise<boolean> {
  try {
    const answer = await fetch(`${urlOf(server)}/health`, { redirect: 'error', signal: AbortSignal.timeout(helloMs) })
    const health = (await answer.json()) as { readonly instance?: unknown } | null
    return health?.instance === server.instance
  } catch {
    return false // it is just starting or stopping, or another program has the port
  }
}

function createAsk(server: ServerFile, token: string): Ask {
  return async (path, { method = 'GET', json, accept = 'application/json', signal } = {}) => {
    const headers = { authorization: `Bearer ${token}`, accept, 'content-type': 'application/json', ...commandLineWords }
    const body = json === undefined ? null : JSON.stringify(json)
    let answer: Response
    try {
      answer = await fetch(`${urlOf(server)}${path}`, { method, headers, redirect: 'error', body, signal: signal ?? null })
    } catch (cause) {
      throw isLeft(signal) ?? gone(server, cause)
    }
    if (!answer.ok) throw toError((await answer.json()) as Problem)
    return answer
  }
}

function createHolder(ask: Ask): WorkerHolder {
  const at = (id: string) => `/workers/${encodeURIComponent(id)}`
  return {
    async permission(id) {
      const { worker } = (await (await ask(at(id))).json()) as {
        readonly worker: { readonly permission: PermissionDocument | null }
      }
      return worker.permission === null ? null : parsePermission(worker.permission)
    },
    async send(id, prompt, { wait = true, signal, timeoutMs, onEvent }) {
      const accept = wait ? 'text/event-stream' : 'application/json'
      const json = { prompt, ...(timeoutMs === undefined || !wait ? {} : { timeout_ms: timeoutMs }) }
      const answer = await ask(`${at(id)}/send`, { method: 'POST', json, accept, signal })
      return wait ? follow(answer, signal, onEvent) : outcomeOf(await answer.json())
    },
    async interrupt(id) {
      await ask(`${at(id)}/interrupt`, { method: 'POST' })
    },
    async answer(id, requestId, { verdict, reason, answers }) {
      const json = { request_id: requestId, decision: verdict, ...(reason && { reason }), ...(answers && { answers }) }
      await ask(`${at(id)}/permission`, { method: 'POST', json })
    },
    async stop(id) {
      await ask(at(id), { method: 'DELETE' })
    },
  }
}

async function follow(
  { body }: Response,
  signal: AbortSignal | undefined,
  onEvent: Parameters<WorkerHolder['send']>[2]['onEvent'],
): Promise<Outcome> {
  try {
    for await (const { event, data } of body === null ? [] : readFrames(body)) {
      if (event === 'error') throw toError(data as Problem)
      if (event === 'result') return outcomeOf(data)
      const known = parseRunEvent(data as RunEventDocument)
      if (known !== null) onEvent?.(known)
    }
  } catch (cause) {
    if (cause instanceof AppError) throw cause
    throw isLeft(signal) ?? cutOff(cause)
  }
  throw isLeft(signal) ?? cutOff(undefined)
}

function outcomeOf(result: unknown): Outcome {
  const { delivery, answer, outcome, error } = result as Outcome
  return { delivery, answer, outcome, error }
}

function isLeft(signal: AbortSignal | undefined): AppError | null {
  return signal?.aborted === true ? new AppError('interrupted', 'No longer waiting; the turn goes on in the server.') : null
}

function cutOff(cause: unknown): AppError {
  return new AppError('failed', 'The server that ran this turn has ended, and the turn with it.', {
    cause,
    hint: 'Send again: the worker is resumed.',
  })
}

function gone(server: ServerFile, cause: unknown): AppError {
  return new AppError('failed', `The server at ${urlOf(server)} does not answer.`, {
    cause,
    hint: 'Try again in a moment; if it hangs, end it and start it anew.',
  })
}

/** As if it had happened here: the same codes, hence the same exit status. */
function toError({ code, detail, hint, details }: Problem): AppError {
  const known = code in errorTable ? (code as keyof typeof errorTable) : 'failed'
  return new AppError(known, detail, { hint, details })
}
