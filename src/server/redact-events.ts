// The app's events on their way out: redacted, in the order in which they happened.
import type { AppEvent } from '../model/event.ts'
import { redactDocument } from '../redact/document.ts'
import type { Redactor } from '../redact/redact.ts'
import { createRunRedactor, type RunRedactor } from './redact-run.ts'

export interface EventRedactor {
  take(event: AppEvent): void
  /** Settles when everything taken so far has been passed on. */
  settled(): Promise<void>
}

export interface EventRedactorOptions {
  readonly redactor: Redactor
  readonly publish: (event: AppEvent) => void
  readonly onProblem: (error: unknown) => void
}

export function createEventRedactor({ redactor, publish, onProblem }: EventRedactorOptions): EventRedactor {
  const runs = new Map<string, RunRedactor>()
  let tail: Promise<void> = Promise.resolve()

  async function pass(event: AppEvent): Promise<void> {
    if (event.type === 'message.delta') {
      const key = keyOf(event.data)
      const run = runs.get(key) ?? createRunRedactor(redactor)
      runs.set(key, run)
      for (const clean of await run.push(event.data.event)) publish({ ...event, data: { ...event.data, event: clean } })
      return
    }
    if (event.type === 'turn.completed' || event.type === 'worker.exited') await finish(event)
    publish(await redactDocument(redactor, event))
  }

  /** The turn is over: nothing more comes that could make a secret of what was held back. */
  async function finish({
    at,
    id,
    data,
  }: Extract<AppEvent, { readonly type: 'turn.completed' | 'worker.exited' }>): Promise<void> {
    const key = keyOf(data)
    const { agent, sessionId, cwd, workerId } = data
    const left = (await runs.get(key)?.flush()) ?? []
    runs.delete(key)
    for (const event of left) publish({ id, at, type: 'message.delta', data: { agent, sessionId, cwd, workerId, event } })
  }

  return {
    take(event) {
      tail = tail.then(() => pass(event)).catch(onProblem)
    },
    settled: () => tail,
  }
}

function keyOf({ workerId, sessionId }: { readonly workerId: string | null; readonly sessionId: string | null }): string {
  return `${workerId} ${sessionId}`
}
