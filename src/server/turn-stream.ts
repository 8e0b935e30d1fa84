// One turn as a stream of server-sent events: what the agent says and does, then the result. A fault before the first event is
// a problem document like any other; later it is the last event. The turn goes on when the client leaves: `/events` tells of it.

import { renderRunEvent, renderSendResult } from '../model/render-worker.ts'
import type { RunEvent } from '../model/run.ts'
import type { SendResult } from '../model/worker.ts'
import { redactDocument } from '../redact/document.ts'
import type { Redactor } from '../redact/redact.ts'
import { comment, encodeFrame, eventStreamHeaders, joinFrames } from './frames.ts'
import type { Problem } from './problem.ts'
import { createRunRedactor } from './redact-run.ts'

/** A client that takes nothing for so long that this much waits for it is let go. */
const maxWaitingBytes = 8 << 20

export interface TurnStreamOptions {
  readonly redactor: Redactor
  readonly heartbeatMs: number
  readonly toProblem: (error: unknown) => Problem
  readonly run: (onEvent: (event: RunEvent) => void) => Promise<SendResult>
}

/** Throws what `run` throws before the agent has begun. */
export async function streamTurn({ redactor, heartbeatMs, toProblem, run }: TurnStreamOptions): Promise<Response> {
  const waiting: Uint8Array[] = []
  let bytes = 0
  let isOver = false
  let isLeft = false
  let wake: (() => void) | null = null
  const push = (frame: Uint8Array) => {
    if (isLeft) return
    waiting.push(frame)
    bytes += frame.length
    if (bytes > maxWaitingBytes) {
      isLeft = true
      waiting.length = 0
    }
    wake?.()
  }
  const runRedactor = createRunRedactor(redactor)
  let tail: Promise<unknown> = Promise.resolve()
  const pass = async (events: Promise<readonly RunEvent[]>) => {
    for (const event of await events) push(encodeFrame({ event: event.kind, data: renderRunEvent(event) }))
  }
  const begun = new Promise<void>((resolve, reject) => {
    let hasBegun = false
    const onEvent = (event: RunEvent) => {
      hasBegun = true
      tail = tail.then(() => pass(runRedactor.push(event)))
      resolve()
    }
    const finish = async (last: () => Promise<Uint8Array> | Uint8Array) => {
      try {
        await tail
        await pass(runRedactor.flush())
        push(await last())
      } catch (error) {
        push(encodeFrame({ event: 'error', data: toProblem(error) }))
      }
      isOver = true
      wake?.()
      resolve()
    }
    run(onEvent).then(
      (result) =>
        finish(async () => encodeFrame({ event: 'result', data: await redactDocument(redactor, renderSendResult(result)) })),
      (error) => (hasBegun ? finish(() => encodeFrame({ event: 'error', data: toProblem(error) })) : reject(error)),
    )
  })
  await begun

  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        while (waiting.length === 0 && !isOver && !isLeft) {
          const why = await waitFor(heartbeatMs, (resolve) => {
            wake = resolve
          })
          wake = null
          if (why === 'heartbeat') return controller.enqueue(comment(''))
        }
        if (isLeft || waiting.length === 0) return controller.close()
        const frames = joinFrames(waiting.splice(0), bytes)
        bytes = 0
        controller.enqueue(frames)
      },
      cancel() {
        isLeft = true
        waiting.length = 0
        wake?.()
      },
    },
    { highWaterMark: 0 },
  )
  return new Response(stream, { headers: eventStreamHeaders })
}

function waitFor(heartbeatMs: number, hand: (resolve: () => void) => void): Promise<'news' | 'heartbeat'> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve('heartbeat'), heartbeatMs)
    hand(() => {
      clearTimeout(timer)
      resolve('news')
    })
  })
}
