// The turns of workers in panes as events: each is told once in this process, that it began and how it ended, whoever saw it first.
// How one ended is remembered with the worker, and kept in its history where that is on.
import type { RunOutcome } from '../model/run.ts'
import type { Turn } from '../model/session.ts'
import type { WorkerRecord } from '../store/workers.ts'
import type { WorkerContext } from './context.ts'
import { noteLast, readLast } from './files.ts'
import { catchUpHistory } from './history.ts'
import { describeFailure } from './last-outcome.ts'
import { lastScreen } from './pane.ts'
import { howItEnded } from './refusals.ts'
import type { TurnEnd } from './run-turn.ts'
import { noteInput } from './told.ts'
import type { Transcript } from './transcript.ts'
import { placeOf } from './view.ts'

export type TurnTeller = ReturnType<typeof createTurnTeller>

export interface SeenTurn {
  readonly record: WorkerRecord
  readonly transcript: Transcript
  /** `null`: it never showed in the session's file. */
  readonly turn: Turn | null
  readonly prompt: string
}

export function createTurnTeller(context: WorkerContext) {
  const begun = new Set<string>()
  const over = new Set<string>()
  const keyOf = ({ record, turn }: Pick<SeenTurn, 'record' | 'turn'>) => `${record.id} ${turn?.id}`

  function tellBegun(seen: Pick<SeenTurn, 'record' | 'turn' | 'prompt'>): void {
    const { record, turn, prompt } = seen
    if (turn !== null) {
      if (begun.has(keyOf(seen))) return
      begun.add(keyOf(seen))
      void noteInput(context, record, prompt)
    }
    context.events.emit({ type: 'turn.started', data: { ...placeOf(record), turnId: turn?.id ?? null, prompt } })
  }

  /** `outcome` as it is known; a turn that its agent's end cut off has failed. */
  async function tellOver(seen: SeenTurn, outcome: RunOutcome): Promise<TurnEnd> {
    const { record, transcript, turn, prompt } = seen
    const answer = turn === null ? null : await transcript.answer(turn)
    const error = outcome === 'failed' ? await whyFailed(context, seen) : null
    if (turn === null || !begun.has(keyOf(seen))) tellBegun(seen)
    if (turn === null || !over.has(keyOf(seen))) {
      over.add(keyOf(seen))
      noteLast(context.folder, record.id, { error, readFrom: null }) // a newer turn may have ended since
      await catchUpHistory(context, record)
      const data = { ...placeOf(record), turnId: turn?.id ?? null, prompt, outcome, error }
      context.events.emit({ type: 'turn.completed', data })
    }
    return { answer, outcome, error, turnId: turn?.id ?? null }
  }

  return {
    tellBegun,
    tellOver,
    isOver: (record: WorkerRecord, turn: Turn): boolean => over.has(keyOf({ record, turn })),
  }
}

/** What the API said, else what the agent said before it ended or shows now. */
async function whyFailed(context: WorkerContext, { record, transcript, turn }: SeenTurn): Promise<string> {
  const recorded = turn === null ? null : await transcript.error(turn)
  const now = context.store().workers.get(record.id) ?? record
  if (recorded !== null || now.endedAt === null)
    return describeFailure(recorded, recorded === null ? await lastScreen(context, now) : [])
  const words = readLast(context.folder, record.id).error
  return `It ended ${howItEnded(now)}${words === null ? '.' : `: ${words}`}`
}
