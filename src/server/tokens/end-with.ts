// Ends an answer when the token it was asked with does.

/** Rejects with what `reason` gives as soon as `ended` is aborted, whatever `work` does then. */
export async function untilEnded<T>(ended: AbortSignal, work: Promise<T>, reason: () => Error): Promise<T> {
  work.catch(() => undefined) // nobody waits for it once the token has ended
  const settled = new AbortController()
  const over = new Promise<never>((_, reject) => {
    if (ended.aborted) reject(reason())
    ended.addEventListener('abort', () => reject(reason()), { once: true, signal: settled.signal })
  })
  try {
    return await Promise.race([work, over])
  } finally {
    settled.abort()
  }
}

export interface EndOptions {
  /** How long an event stream may still take for its last words. */
  readonly graceMs: number
  /** Closes the connection. */
  readonly drop: () => void
}

/**
 * The same answer; its body ends with the token. Event streams are closed; for any other answer `drop` is called first, because half
 * of it would look complete.
 */
export function endWith(answer: Response, ended: AbortSignal, { graceMs, drop }: EndOptions): Response {
  if (answer.body === null) return answer
  const isEvents = answer.headers.get('content-type')?.startsWith('text/event-stream') === true
  const reader = answer.body.getReader()
  const over = new AbortController()
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const cut = () => {
          if (over.signal.aborted) return
          over.abort()
          if (!isEvents) drop()
          controller.close()
          reader.cancel().catch(() => undefined)
        }
        if (ended.aborted) cut()
        const onEnd = isEvents && graceMs > 0 ? () => void setTimeout(cut, graceMs) : cut
        ended.addEventListener('abort', onEnd, { once: true, signal: over.signal })
      },
      async pull(controller) {
        try {
          const { done, value } = await reader.read()
          if (over.signal.aborted) return
          if (!done) return controller.enqueue(value)
          over.abort()
          controller.close()
        } catch (error) {
          if (over.signal.aborted) return
          over.abort()
          controller.error(error)
        }
      },
      async cancel(reason) {
        over.abort()
        await reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
  return new Response(body, { status: answer.status, statusText: answer.statusText, headers: answer.headers })
}
