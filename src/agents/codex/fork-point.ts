// Where a cut falls in a thread: in which of its files, after which turn, and what stands in the way of forking there.
import { AppError } from '../../model/error.ts'
import type { Cut } from '../../model/fork.ts'
import type { SessionFile } from '../agent.ts'
import type { AgentEnv } from '../agent-env.ts'
import type { SurveyedBranch } from './emit.ts'
import { Nearest } from './nearest.ts'
import { findBranch, openThread, surveyBranch } from './read.ts'
import { timeOfId } from './rollout-files.ts'
import { lastState, type TurnRow } from './turn-state.ts'

export interface ForkPoint {
  readonly branch: SurveyedBranch
  /** The last turn that is kept; `null` when none is. */
  readonly turn: TurnRow | null
  readonly isMidTurn: boolean
  /** No line ends the turn: it runs, or its process was killed. */
  readonly isOpen: boolean
  /** On a branch that was left: rolled back in place, or in an older file of the thread. */
  readonly isDead: boolean
  /** More was said behind the turn's end. */
  readonly isLoose: boolean
}

export async function findForkPoint(source: SessionFile, env: AgentEnv, cut: Cut): Promise<ForkPoint> {
  const branch = await branchOf(source, env, cut)
  const { history, surveyed } = branch
  if (history.broken !== null) {
    throw new AppError('parent_missing', `codex:${source.id} cannot be forked: ${history.broken}.`)
  }
  const { state, loose } = surveyed
  const path = cut.kind === 'start' ? [] : surveyed.path
  const last = path.at(-1) ?? -1
  const isLastFile = history.parts.at(-1)?.path === source.path
  return {
    branch: { ...branch, surveyed: { ...surveyed, path } },
    turn: state.rows[last] ?? null,
    isMidTurn: cut.kind === 'message',
    isOpen: last !== -1 && last === state.top && state.open !== null && lastState(state) === 'running',
    isDead: !isLastFile || (last !== -1 && !isLive(state.rows, state.top, last)),
    isLoose: loose.has(last),
  }
}

async function branchOf(source: SessionFile, env: AgentEnv, cut: Cut): Promise<SurveyedBranch> {
  if (cut.kind === 'turn') return findBranch(source, env, { turnId: cut.turnId })
  if (cut.kind === 'message') return findBranch(source, env, { messageId: cut.messageId })
  const live = await surveyBranch(openThread(source.path, env), undefined, new Nearest(''))
  if (live === undefined) throw new Error('a thread has a live branch, however short')
  return live
}

function isLive(rows: readonly TurnRow[], top: number, row: number): boolean {
  let at = top
  while (at > row) at = rows[at]?.parent ?? -1
  return at === row
}

/** Codex knows a turn by this id; old files have turns that only we number. */
export function hasOwnId({ id }: TurnRow): boolean {
  return timeOfId(id) !== null
}

/** A running turn is never a cut. */
export function refuseRunning(source: SessionFile, { branch, turn }: ForkPoint): never {
  const { state, path } = branch.surveyed
  const before = state.rows[path.at(-2) ?? -1]
  const hint = before === undefined ? {} : { hint: `The nearest finished turn is ${before.id}.` }
  const details = { nearestTurnId: before?.id ?? null }
  throw new AppError('busy', `Turn ${turn?.id} of codex:${source.id} is still running.`, { ...hint, details })
}
