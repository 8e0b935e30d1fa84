// An endpoint that speaks OpenAI's /embeddings (Ollama, LM Studio, llama.cpp, vLLM and the like). Only text the index holds, so
// only redacted text, is ever sent, and nothing at all unless the person has named the endpoint.
import { setTimeout as wait } from 'node:timers/promises'
import { errorMessage } from '../../lib/error-message.ts'
import { AppError } from '../../model/error.ts'
import type { Embedder, EmbedOptions } from './embedder.ts'
import { toUnitLength } from './model-parts.ts'

export interface EndpointSettings {
  /** Up to and without `/embeddings`, as in `http://127.0.0.1:11434/v1`. */
  readonly url: string
  readonly model: string
  readonly key: string | null
  readonly timeoutMs?: number
  /** Waiting time before the second attempt; doubled before each further one. */
  readonly backoffMs?: number
}

const attempts = 4
const urgentMs = 4000
const batchTexts = 64
/** Endpoints refuse longer ones or cut them themselves. */
const maxCharacters = 8000

export function createEndpointEmbedder(settings: EndpointSettings): Embedder {
  return {
    id: `${settings.model}@${settings.url}`,
    async embed(texts, options = {}) {
      const vectors: Float32Array[] = []
      for (let from = 0; from < texts.length; from += batchTexts) {
        vectors.push(...(await request(settings, texts.slice(from, from + batchTexts), options)))
      }
      return vectors
    },
  }
}

async function request(settings: EndpointSettings, texts: readonly string[], options: EmbedOptions): Promise<Float32Array[]> {
  const { backoffMs = 500 } = settings
  const { signal, urgent = false } = options
  const timeoutMs = Math.min(settings.timeoutMs ?? 30_000, urgent ? urgentMs : Number.POSITIVE_INFINITY)
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await requestOnce({ ...settings, timeoutMs }, texts, signal)
    if ('vectors' in outcome) return outcome.vectors
    if (!outcome.again || urgent || attempt === attempts || signal?.aborted) throw failure(settings, outcome.problem)
    await wait(outcome.waitMs ?? backoffMs * 2 ** (attempt - 1))
  }
}

type Outcome =
  | { readonly vectors: Float32Array[] }
  | { readonly problem: string; readonly again: boolean; readonly waitMs?: number }

async function requestOnce(
  { url, model, key, timeoutMs = 30_000 }: EndpointSettings,
  texts: readonly string[],
  signal?: AbortSignal,
) {
  // An empty text is an error to most endpoints.
  const input = texts.map((text) => text.slice(0, maxCharacters) || ' ')
  const limit = AbortSignal.timeout(timeoutMs)
  try {
    const response = await fetch(`${url.replace(/\/+$/, '')}/embeddings`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(key === null ? {} : { authorization: `Bearer ${key}` }) },
      body: JSON.stringify({ model, input }),
      signal: signal === undefined ? limit : AbortSignal.any([limit, signal]),
    })
    if (!response.ok) return refusal(response)
    return readVectors(await response.json(), texts.length)
  } catch (error) {
    const problem = limit.aborted ? `did not answer within ${timeoutMs / 1000} s` : `cannot be reached: ${reasonOf(error)}`
    return { problem, again: true }
  }
}

/** Too many requests and faults of the server may pass; a wrong model or key does not. */
async function refusal(response: Response): Promise<Outcome> {
  const seconds = Number(response.headers.get('retry-after'))
  const again = response.status === 429 || response.status >= 500
  const problem = `answered ${response.status}: ${(await response.text()).slice(0, 200)}`
  return { problem, again, ...(seconds > 0 ? { waitMs: Math.min(seconds, 30) * 1000 } : {}) }
}

function readVectors(answer: unknown, count: number): Outcome {
  const data = typeof answer === 'object' && answer !== null && 'data' in answer ? answer.data : undefined
  if (!Array.isArray(data) || data.length !== count) return { problem: 'gave another number of vectors', again: false }
  const vectors: Float32Array[] = []
  for (const [at, row] of data.entries()) {
    const { embedding, index = at } = row as { embedding?: unknown; index?: number }
    if (!Array.isArray(embedding) || !embedding.every((value) => Number.isFinite(value))) {
      return { problem: 'gave something that is no vector', again: false }
    }
    vectors[index] = toUnitLength(Float32Array.from(embedding as number[]))
  }
  if (new Set(vectors.map((vector) => vector?.length)).size > 1)
    return { problem: 'gave vectors of different lengths', again: false }
  return { vectors }
}

function failure({ url, model }: EndpointSettings, problem: string): AppError {
  return new AppError('embedder_failed', `The embedding endpoint ${url} (${model}) ${problem}.`)
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  return errorMessage(cause)
}
