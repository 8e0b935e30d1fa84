// What a plan saw, so that executing it later first finds out whether it still holds, and says what changed where it does not.
import { statSync } from 'node:fs'
import { errorMessage } from '../lib/error-message.ts'
import { isMissing } from '../lib/file-errors.ts'
import { markFile, stillHolds } from '../lib/file-mark.ts'
import type { CatalogSession } from '../model/catalog.ts'
import { AppError } from '../model/error.ts'
import type { Cut, Plan } from '../model/fork.ts'
import type { ReadMark } from '../model/read-mark.ts'
import type { AgentId } from '../model/session.ts'
import type { Fingerprint } from '../snapshots/fingerprint.ts'
import type { Repository, WorkTree } from '../snapshots/repository.ts'
import type { WorkspacePlan } from '../snapshots/workspace-plan.ts'
import type { CodeOfTurn } from './code.ts'
import type { ForkContext, MissingFile } from './context.ts'

export interface Seen {
  readonly version: 1
  readonly source: {
    readonly agent: AgentId
    readonly id: string
    readonly path: string
    readonly state: CatalogSession['state']
    readonly bytes: number
    /** `null` for a file that has to be put back first. */
    readonly mark: ReadMark | null
    readonly olderPaths: readonly string[]
  }
  /** Files that are put back first: of the sessions that the source builds on, and its own. */
  readonly missing?: readonly MissingFile[]
  readonly turnId: string | null
  readonly repository: Repository | null
  readonly workspace: WorkspacePlan | null
  /** The work tree submodules and ignored files come from. */
  readonly extrasFrom: WorkTree | null
  readonly fingerprint: Fingerprint | null
  /** Of mode `turn`. */
  readonly atTurn: CodeOfTurn | null
  /** The person chose it; a title of ours may still be counted on. */
  readonly ownTitle: boolean
  readonly parentTitle: string
  /** The work tree the parent ran in, else its folder. */
  readonly parentWorkspace: string | null
  /** How many of the oldest tool outputs the seed shortens. */
  readonly shortenedOutputs: number
  /** The child's id, where one was asked for. */
  readonly sessionId?: string
}

export function seenOf(plan: Plan): Seen {
  const seen = plan.seen as Partial<Seen> | null
  if (typeof seen !== 'object' || seen === null || seen.version !== 1 || seen.source === undefined) {
    throw new AppError('usage', 'This plan was not made by this version of offshoot.', { hint: 'Make the plan again.' })
  }
  return seen as Seen
}

export function markSource(session: Pick<CatalogSession, 'state' | 'path' | 'bytes'>): ReadMark | null {
  try {
    return markFile(session.path, session.bytes)
  } catch (error) {
    if (!isMissing(error)) throw error
    if (session.state === 'gone') return null
    throw new AppError('session_not_found', `The session's file ${session.path} is gone.`, { cause: error })
  }
}

/** The cut to execute: a tip that has grown on since is the turn that was its last then. */
export async function checkSeen(context: ForkContext, plan: Plan): Promise<Cut> {
  const seen = seenOf(plan)
  const cut = checkSource(plan, seen)
  await checkCode(context, seen)
  return cut
}

function checkSource(plan: Plan, { source, turnId }: Seen): Cut {
  const { path, mark, bytes } = source
  const now = statSync(path, { throwIfNoEntry: false })
  if (mark === null) {
    if (now !== undefined) throw stale([`${path} is there again`])
    return plan.cut
  }
  if (now === undefined) {
    throw new AppError('plan_stale', `The session's file ${path} is gone since the plan was made.`, {
      details: { changes: ['the source is gone'] },
    })
  }
  if (!stillHolds(path, mark)) throw stale([`${path} was rewritten`])
  if (now.size === bytes || plan.cut.kind !== 'tip') return plan.cut
  if (plan.strategy === 'native' && plan.agent === 'claude')
    throw stale(['the session has gone on, and its own fork takes all of it'])
  return turnId === null ? plan.cut : { kind: 'turn', turnId }
}

async function checkCode(context: ForkContext, { repository, fingerprint, atTurn }: Seen): Promise<void> {
  if (atTurn !== null) return checkObjects(context, atTurn)
  if (repository === null || repository.root === null || fingerprint === null) return
  const [{ readCodeState }, { describeChanges }] = await Promise.all([
    import('../snapshots/code-state.ts'),
    import('../snapshots/fingerprint.ts'),
  ])
  const state = await readCodeState(context.git, repository.root)
  const changes = state.fingerprint === null ? ['the work tree is gone'] : describeChanges(fingerprint, state.fingerprint)
  if (changes.length > 0) throw stale(changes)
}

/** A snapshot may be dropped between plan and fork, by `gc` or by the person; the work tree itself does not matter. */
async function checkObjects(context: ForkContext, { code }: CodeOfTurn): Promise<void> {
  const { findMissing } = await import('../snapshots/read-objects.ts')
  const { commonDir, snapshot, tree, baseCommit } = code
  const names = (snapshot === null ? [tree, baseCommit] : [snapshot]).filter((name) => name !== null)
  const missing = await findMissing(context.git, commonDir, names).catch((error: unknown) => {
    throw stale([`${commonDir} cannot be read: ${errorMessage(error)}`])
  })
  if (missing.length > 0) throw stale(['the captured code is gone from the repository'])
}

function stale(changes: readonly string[]): AppError {
  return new AppError('plan_stale', `What the plan saw no longer holds: ${changes.join('; ')}.`, { details: { changes } })
}
