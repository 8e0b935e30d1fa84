// Follows a turn in a pane to its end: by the session's file, the agent's own records, and the screen last.
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '../model/error.ts'
import type { RunEvent } from '../model/run.ts'
import type { Turn } from '../model/session.ts'
import type { WorkerRecord } from '../store/workers.ts'
import type { WorkerContext } from './context.ts'
import { type PaneSight, seePane } from './pane.ts'
import { questionOf } from './question-of.ts'
import type { TurnEnd } from './run-turn.ts'
import type { TurnTeller } from './tell-turns.ts'
import type { Transcript } from './transcript.ts'
import { placeOf } from './view.ts'

const stepMs = 150
/** A long silence is rarely over in the next moment: each look is a call of the terminal. */
const quietStepMs = 600
const quietAfterMs = 5000
/** How long an agent may be idle before its file says that the turn is over: Claude 2.1.197 writes up to 93 ms late. */
export const settleMs = 2500

export interface Follow {
  readonly teller: TurnTeller
  readonly prompt: string
  readonly transcript: Transcript
  readonly onEvent: (event: RunEvent) => void
  readonly signal: AbortSignal
}

export async function followTurn(context: WorkerContext, record: WorkerRecord, follow: Follow): Promise<TurnEnd> {
  const { teller, prompt, transcript, signal, onEvent } = follow
  const asked = createAsking(context, record, onEvent)
  let turn: Turn | null = null
  let idleSince: number | null = null
  let lastState: string | null = null
  let newsAt = performance.now()
  while (!signal.aborted) {
    const sight = await seePane(context, record)
    await asked(sight)
    turn = (await transcript.newTurn()) ?? turn
    if (turn !== null) teller.tellBegun({ record, turn, prompt })
    const news = turn === null ? [] : await transcript.news(turn)
    for (const event of news) tell(context, record, event, onEvent)
    if (news.length > 0 || sight.state !== lastState) newsAt = performance.now()
    lastState = sight.state
    const isOver = sight.record.endedAt !== null
    // A question that has nothing to do with the turn may come up behind it.
    const isAsked = sight.state === 'waiting' && turn !== null && turn.state !== 'running'
    if (sight.state === 'idle' || isOver || isAsked) idleSince ??= performance.now()
    else idleSince = null
    const waited = idleSince === null ? 0 : performance.now() - idleSince
    const seen = { record, transcript, turn, prompt }
    if (idleSince !== null && turn !== null && turn.state !== 'running' && (!isAsked || waited >= settleMs))
      return teller.tellOver(seen, turn.state)
    if (idleSince !== null && waited >= settleMs) return teller.tellOver(seen, isOver ? 'failed' : 'interrupted')
    const pauseMs = idleSince === null && performance.now() - newsAt > quietAfterMs ? quietStepMs : stepMs
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined)
  }
  throw new AppError('interrupted', `"${record.name}" is no longer watched; it goes on.`)
}

function tell(context: WorkerContext, record: WorkerRecord, event: RunEvent, onEvent: (event: RunEvent) => void): void {
  onEvent(event)
  context.events.emit({ type: 'message.delta', data: { ...placeOf(record), event } })
}

/** Says once that something is asked, and once that it no longer is: the answer is given in the pane. */
function createAsking(
  context: WorkerContext,
  record: WorkerRecord,
  onEvent: (event: RunEvent) => void,
): (sight: PaneSight) => Promise<void> {
  let open: string | null = null
  return async (sight) => {
    const request = open !== null && sight.state === 'waiting' ? null : await questionOf(context, sight)
    if (request !== null && open === null) {
      open = request.id
      onEvent({ kind: 'permission', request })
      context.events.emit({ type: 'permission.requested', data: { ...placeOf(record), request } })
    }
    if (sight.state !== 'waiting' && open !== null) {
      onEvent({ kind: 'permission_resolved', requestId: open, verdict: null })
      context.events.emit({ type: 'permission.resolved', data: { ...placeOf(record), requestId: open, verdict: null } })
      open = null
    }
  }
}
