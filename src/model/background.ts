// What the server does on the side: how each pipeline of the background process is doing, for /health, doctor and index --status.
import { renderTime } from './render-time.ts'

/**
 * `off`: not wanted, or switched off by a failed start-up check. `failing`: the last run failed, the next is tried. `stalled`: it
 * has shown no progress for too long.
 */
export type PipelineState = 'off' | 'waiting' | 'running' | 'failing' | 'stalled'

export interface PipelineStatus {
  readonly state: PipelineState
  /** What is wrong, and what to do about it. */
  readonly problem: string | null
  readonly fix: string | null
  /** When the last run ended well. */
  readonly doneAt: number | null
  /** When the next regular one is due. */
  readonly nextAt: number | null
  readonly progress: { readonly step: string; readonly done: number; readonly total: number } | null
}

export interface BackgroundStatus {
  /** `down`: it has ended unasked and is started again at `startsAt`. */
  readonly state: 'starting' | 'running' | 'down' | 'stopped'
  readonly pid: number | null
  readonly startedAt: number | null
  readonly startsAt: number | null
  /** How often it had to be started again. */
  readonly restarts: number
  /** Why it ended last. */
  readonly problem: string | null
  readonly index: PipelineStatus
  readonly qmd: PipelineStatus
}

export const idlePipeline: PipelineStatus = {
  state: 'off',
  problem: null,
  fix: null,
  doneAt: null,
  nextAt: null,
  progress: null,
}

export function renderBackground({ state, pid, startedAt, startsAt, restarts, problem, index, qmd }: BackgroundStatus) {
  return {
    state,
    pid,
    started_at: renderTime(startedAt),
    starts_at: renderTime(startsAt),
    restarts,
    problem,
    index: renderPipeline(index),
    qmd: renderPipeline(qmd),
  }
}

function renderPipeline({ state, problem, fix, doneAt, nextAt, progress }: PipelineStatus) {
  return { state, problem, fix, done_at: renderTime(doneAt), next_at: renderTime(nextAt), progress }
}
