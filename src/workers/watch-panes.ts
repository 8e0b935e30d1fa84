// Looks at the panes of workers now and then and tells what changed in them: also what a person did there by hand.
import type { Worker, WorkerState } from '../model/worker.ts'
import { createGlances } from './glances.ts'
import { questionOf, seePane } from './pane.ts'
import { openTranscript } from './transcript.ts'
import { placeOf } from './view.ts'
import type { WorkerBench } from './workers.ts'

const everyMs = 1000
/** While nothing has changed for a while, and nobody is at work: even one call of tmux costs some milliseconds. */
const restingMs = 3000
const restAfterMs = 30_000

export async function watchPanes(
  { context, tellReady }: WorkerBench,
  isFollowed: (id: string) => boolean,
): Promise<{ close(): Promise<void> }> {
  const known = new Map<string, WorkerState>()
  const glance = createGlances(context.terminal)
  let closed = false
  let changedAt = performance.now()
  let timer: NodeJS.Timeout | undefined
  let looking: Promise<void> = Promise.resolve()

  async function look(): Promise<void> {
    const open = context.store().workers.open()
    const records = open.filter(({ kind }) => kind === 'terminal')
    const views = await glance(records)
    for (const record of records) {
      if (closed) return
      const sight = await seePane(context, record, views.get(record.id))
      const before = known.get(record.id)
      known.set(record.id, sight.state)
      if (before !== sight.state || sight.state !== 'idle') changedAt = performance.now()
      // Whoever follows a turn tells of it.
      if (before === undefined || before === sight.state || isFollowed(record.id)) continue
      await tellChange(record, before, sight.state, questionOf(sight))
    }
  }

  async function tellChange(
    record: Parameters<typeof seePane>[1],
    before: WorkerState,
    state: WorkerState,
    request: Worker['permission'],
  ): Promise<void> {
    const of = placeOf(record)
    const { events } = context
    if (before === 'starting' && (state === 'idle' || state === 'running')) tellReady(record)
    if (before === 'waiting')
      events.emit({ type: 'permission.resolved', data: { ...of, requestId: `pane-${record.id}`, verdict: null } })
    if (request !== null) events.emit({ type: 'permission.requested', data: { ...of, request } })
    const wasAtWork = before === 'running' || before === 'waiting'
    if (state === 'running' && (before === 'idle' || before === 'starting'))
      events.emit({ type: 'turn.started', data: { ...of, turnId: null, prompt: null } })
    if (!wasAtWork || state !== 'idle' || record.sessionId === null) return
    const turn = await (await openTranscript(context, record.agent, record.sessionId)).lastTurn()
    const outcome = turn === null || turn.state === 'running' ? 'interrupted' : turn.state
    events.emit({ type: 'turn.completed', data: { ...of, turnId: turn?.id ?? null, outcome, error: null } })
  }

  function again(): void {
    timer = setTimeout(
      () => {
        // A pane that cannot be looked at now is looked at again the next time.
        looking = look()
          .catch(() => undefined)
          .then(() => (closed ? undefined : again()))
      },
      performance.now() - changedAt > restAfterMs ? restingMs : everyMs,
    )
  }

  await look()
  again()
  return {
    async close() {
      closed = true
      clearTimeout(timer)
      await looking
    },
  }
}
