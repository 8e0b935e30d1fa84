// What the qmd engine tells besides an answer: why it cannot give one and what to do (SF5), and how its index is coming along.
import type { CatalogSession } from './catalog.ts'
import { AppError } from './error.ts'
import { renderTime } from './render.ts'

/** `details` of the error `qmd_not_available`. */
export interface QmdGuidance {
  readonly nextSteps: readonly string[]
  /** The most recent sessions of this repository and agent. */
  readonly fallbackSessions: readonly CatalogSession[]
}

export function qmdNotAvailable(message: string, guidance: QmdGuidance): AppError {
  const [hint = 'Use the built-in engine.'] = guidance.nextSteps
  return new AppError('qmd_not_available', message, { hint, details: guidance })
}

/** The payload of SF5; `null` for any other error. */
export function renderQmdGuidance(error: unknown) {
  if (!(error instanceof AppError) || error.code !== 'qmd_not_available') return null
  const { nextSteps, fallbackSessions } = error.details as QmdGuidance
  return {
    error: 'qmd_not_available' as const,
    message: error.message,
    next_steps: nextSteps,
    fallback_sessions: fallbackSessions.map(({ id, agent, repoRoot, cwd, updatedAt }) => ({
      session_id: id,
      project_path: repoRoot ?? cwd,
      last_modified: renderTime(updatedAt),
      agent_type: agent,
    })),
  }
}

export interface QmdProgress {
  readonly step: 'export' | 'collections' | 'update' | 'embed'
  /** Sessions exported so far; steps that qmd does itself have no figures. */
  readonly done: number
  readonly total: number
}

export interface QmdReport {
  /** Another process was at it; nothing was done here. */
  readonly busy: boolean
  /** Stopped by the signal before the end. */
  readonly stopped: boolean
  readonly exported: number
  readonly removed: number
  /** Collections made now. */
  readonly added: readonly string[]
  readonly updated: boolean
  /** False also where the embedding model is not there: then `embed` would wait for a download for ever. */
  readonly embedded: boolean
  readonly problems: readonly { readonly path: string; readonly problem: string }[]
}

export function renderQmdReport({ busy, stopped, exported, removed, added, updated, embedded, problems }: QmdReport) {
  return { busy, stopped, exported, removed, added, updated, embedded, problems }
}
