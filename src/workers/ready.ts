// Ready means observed: the agent's own records or its screen say so, within the time the settings give it. Never slept for.
import { setTimeout as sleep } from 'node:timers/promises'
import { lastLines } from '../lib/last-lines.ts'
import { AppError } from '../model/error.ts'
import type { WorkerRecord } from '../store/workers.ts'
import type { WorkerContext } from './context.ts'
import { type PaneSight, seePane } from './pane.ts'
import { howItEnded } from './refusals.ts'
import { withoutSecrets } from './told.ts'

const stepMs = 80

/** Also ready: at work on the prompt it was started with, or asking a person something. Idle counts when `isTaken` says so. */
export async function waitUntilReady(
  context: WorkerContext,
  record: WorkerRecord,
  isTaken: () => Promise<boolean>,
  signal?: AbortSignal,
): Promise<PaneSight> {
  const until = performance.now() + record.settings.readyTimeoutMs
  let last: readonly string[] = []
  for (;;) {
    const sight = await seePane(context, record)
    if (sight.screen.length > 0) last = sight.screen
    if (sight.record.endedAt !== null) throw await endedEarly(sight, last)
    const isUp = sight.state === 'running' || sight.state === 'waiting'
    if (isUp || (sight.state === 'idle' && (await isTaken()))) return sight
    if (signal?.aborted === true)
      throw new AppError('interrupted', `"${record.name}" goes on starting; see \`offshoot workers\`.`)
    if (performance.now() >= until) {
      const seconds = Math.round(record.settings.readyTimeoutMs / 1000)
      throw new AppError('timed_out', `"${record.name}" was not seen to be ready within ${seconds} s.`, {
        hint: `It may still come: see \`offshoot workers\`. To look at it: \`offshoot attach ${record.name}\`.`,
      })
    }
    await sleep(stepMs)
  }
}

async function endedEarly({ record }: PaneSight, screen: readonly string[]): Promise<AppError> {
  const words = await withoutSecrets(lastLines(screen.join('\n')))
  const said = words === '' ? '.' : `: ${words}`
  return new AppError('failed', `"${record.name}" ended ${howItEnded(record)} before it was ready${said}`)
}
