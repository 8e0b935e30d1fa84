// Looks at the panes of workers now and then and tells what changed in them: also what a person did there by hand, and turns that
// were over before the next look.
import type { Worker, WorkerState } from '../model/worker.ts'
import type { WorkerRecord } from '../store/workers.ts'
import { settleMs } from './follow-pane.ts'
import { createGlances } from './glances.ts'
import { noteLastOutcome } from './last-outcome.ts'
import { type PaneSight, seePane } from './pane.ts'
import { questionOf } from './question-of.ts'
import { openTranscript, sourceOf, type Transcript } from './transcript.ts'
import { placeOf } from './view.ts'
import type { WorkerBench } from './workers.ts'

const everyMs = 1000
/** While nothing has changed for a while, and nobody is at work: even one call of tmux costs some milliseconds. */
const restingMs = 3000
const restAfterMs = 30_000

interface Watched {
  readonly transcript: Transcript | null
  state: WorkerState
  shown: string
  changedAt: number
}

export async function watchPanes(
  { context, teller, tellReady }: WorkerBench,
  isFollowed: (id: string) => boolean,
): Promise<{ close(): Promise<void> }> {
  const { events } = context
  const watched = new Map<string, Watched>()
  const ended = new Set<string>()
  const unlisten = events.onEvent(({ type, data }) => type === 'worker.exited' && ended.add(data.workerId ?? ''))
  const glance = createGlances(context.terminal)
  let isFirstLook = true
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
      const known = watched.get(record.id)
      if (known === undefined) watched.set(record.id, await firstSight(record, sight))
      else await note(sight, known)
    }
    const ids = new Set(records.map(({ id }) => id))
    for (const [id, known] of watched) if (!ids.has(id)) await leave(id, known)
    isFirstLook = false
  }

  /** Of one that was there before, what is over is no news; one that was opened since is new from its first turn on. */
  async function firstSight(record: WorkerRecord, sight: PaneSight): Promise<Watched> {
    const { state, screen } = sight
    changedAt = performance.now()
    if (state === 'idle') await noteLastOutcome(context, sight)
    const { agent, sessionId, createdAt } = record
    const wasThere = isFirstLook
    const isKnown = (turn: { readonly state: string; readonly startedAt: number | null }) =>
      wasThere ? !(isAtWork(state) && turn.state === 'running') : (turn.startedAt ?? 0) < createdAt
    const options = { sourceId: sourceOf(record), isKnown }
    const transcript = sessionId === null ? null : await openTranscript(context, agent, sessionId, options)
    return { transcript, state, shown: screen.join('\n'), changedAt }
  }

  async function note(sight: PaneSight, known: Watched): Promise<void> {
    const { record, state, screen } = sight
    const before = known.state
    const shown = screen.join('\n')
    if (before !== state || shown !== known.shown) known.changedAt = performance.now()
    known.state = state
    known.shown = shown
    if (before !== state || state !== 'idle') changedAt = performance.now()
    // Whoever follows a turn tells of it.
    if (isFollowed(record.id)) return
    if (before !== state) await tellState(record, before, state, await questionOf(context, sight))
    // An agent writes its last lines a moment after its screen; while nothing changes there is nothing new in its file.
    if (isAtWork(state) || performance.now() - known.changedAt < 2 * settleMs) await tellTurns(record, known)
  }

  async function tellState(
    record: WorkerRecord,
    before: WorkerState,
    state: WorkerState,
    request: Worker['permission'],
  ): Promise<void> {
    const of = placeOf(record)
    if (before === 'starting' && (state === 'idle' || state === 'running')) tellReady(record)
    if (before === 'waiting')
      events.emit({ type: 'permission.resolved', data: { ...of, requestId: `pane-${record.id}`, verdict: null } })
    if (request !== null) events.emit({ type: 'permission.requested', data: { ...of, request } })
  }

  async function tellTurns(record: WorkerRecord, { transcript, state, changedAt: since }: Watched): Promise<void> {
    const turns = (await transcript?.newTurns()) ?? []
    for (const [at, turn] of turns.entries()) {
      if (transcript === null || teller.isOver(record, turn)) continue
      const seen = { record, transcript, turn, prompt: turn.prompt }
      const isRunning = turn.state === 'running'
      // Codex writes that a turn began a moment before its prompt.
      if (turn.prompt !== '' || !isRunning) teller.tellBegun(seen)
      const isLast = at === turns.length - 1
      const isSettled = performance.now() - since >= settleMs
      // A question that has nothing to do with the turn may come up behind it.
      if (isLast && isAtWork(state) && !(state === 'waiting' && !isRunning && isSettled)) continue
      if (!isRunning) await teller.tellOver(seen, turn.state)
      else if (hasEnded(state)) await teller.tellOver(seen, 'failed')
      else if (!isLast || isSettled) await teller.tellOver(seen, 'interrupted')
    }
  }

  /** It has ended, and perhaps another process has seen that first. */
  async function leave(id: string, known: Watched): Promise<void> {
    watched.delete(id)
    const record = context.store().workers.get(id)
    if (record === null) return
    if (!isFollowed(id)) await tellTurns(record, { ...known, state: record.state })
    if (ended.has(id)) return
    const { exitStatus: status, exitSignal: signal, state } = record
    events.emit({
      type: 'worker.exited',
      data: { ...placeOf(record), status, signal, stopped: state === 'stopped', error: null },
    })
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
      unlisten()
      clearTimeout(timer)
      await looking
    },
  }
}

function isAtWork(state: WorkerState): boolean {
  return state === 'running' || state === 'waiting' || state === 'starting'
}

function hasEnded(state: WorkerState): boolean {
  return state === 'stopped' || state === 'exited' || state === 'lost'
}
