// Takes a restore back: its files become what they were before it, from the snapshot that was kept. Refused where they were changed
// since, unless forced; the state at that moment is kept too.
import type { RestoreEntry, RestoreUndone } from '../model/capture.ts'
import { AppError } from '../model/error.ts'
import { showPath } from '../snapshots/byte-path.ts'
import { listTreeChanges } from '../snapshots/diff-trees.ts'
import { notedGit } from '../snapshots/noted-git.ts'
import { openSnapshot } from '../snapshots/open-snapshot.ts'
import { readSnapshot } from '../snapshots/read-snapshot.ts'
import { type OnRestored, restoreFiles } from '../snapshots/restore-files.ts'
import type { RestoreRecord } from '../store/restores.ts'
import { refuseBusy } from './busy-agent.ts'
import { findWorkTree } from './code-side.ts'
import type { CaptureContext } from './context.ts'
import { findCommonDir, findRoot } from './moved-repository.ts'
import type { RestoreOptions } from './restore.ts'
import { dropRef, inWorkTree, keepPresent } from './safety.ts'

export async function undoRestore(
  context: CaptureContext,
  id: string,
  { force = false, onProgress }: RestoreOptions = {},
): Promise<RestoreUndone> {
  const { root } = await findRecord(context, id)
  return inWorkTree(context, root, () => undoHeld(context, id, force, onProgress))
}

async function findRecord(context: CaptureContext, id: string): Promise<RestoreRecord> {
  const record = context.store().restores.get(id)
  if (record === null) throw new AppError('fork_not_found', `There is no restore "${id}".`)
  return placeRecord(context, record)
}

/** With its repository and work tree where they are now. */
export async function placeRecord(context: CaptureContext, record: RestoreRecord): Promise<RestoreRecord> {
  const commonDir = await findCommonDir(context, { ...record, holds: record.safetyRef })
  return { ...record, commonDir, root: findRoot(context, commonDir, record.root) }
}

async function undoHeld(context: CaptureContext, id: string, force: boolean, onProgress?: OnRestored): Promise<RestoreUndone> {
  const { restores } = context.store()
  const record = await findRecord(context, id)
  const nothing = { kind: 'restore' as const, restored: [], removed: [], kept: [] }
  if (record.state === 'undone') return { ...nothing, restore: toEntry(record), undone: false }
  if (!force) {
    await refuseBusy(context, record.root)
    await refuseChanged(context, record)
  }
  restores.put({ ...record, state: 'undoing' })
  context.onStep?.('undo restore begun')
  const outcome = await bringBack(context, record, force, onProgress).catch((error) => {
    throw explainUndoFailure(error, record)
  })
  context.onStep?.('undo restore worked')
  const undone: RestoreRecord = { ...record, state: 'undone', undoneAt: context.now() }
  context.store().restores.put(undone)
  return { ...nothing, ...outcome, restore: toEntry(undone), undone: true }
}

function explainUndoFailure(error: unknown, { id, root }: RestoreRecord): unknown {
  if (!(error instanceof Error)) return error
  const message = `The undo failed: ${error.message} Some files in ${root} may be as before and some not.`
  const hint = `Once the cause is mended, \`offshoot undo ${id}\` goes on with it; nothing is lost.`
  return new AppError('failed', message, { hint, cause: error })
}

export function toEntry({ id, root, source, paths, state, createdAt }: RestoreRecord): RestoreEntry {
  return { id, root, source, paths, state, createdAt }
}

/** Only looks: throws where something would be kept. */
async function refuseChanged(context: CaptureContext, record: RestoreRecord): Promise<void> {
  const { readPresent } = await import('./code-side.ts')
  const present = await readPresent(context, await findWorkTree(context, record.root))
  const changed = await changedSince(context, record, present.tree, await treeBefore(context, record))
  if (changed.length === 0) return
  const shown = changed.slice(0, 5).join(', ')
  throw new AppError(
    'changed_since',
    `Changed since the restore ${record.id}: ${shown}${changed.length > 5 ? ' and more' : ''}.`,
    {
      details: { changes: changed },
    },
  )
}

export async function bringBack(
  context: CaptureContext,
  record: RestoreRecord,
  force: boolean,
  onProgress?: OnRestored,
): Promise<Pick<RestoreUndone, 'restored' | 'kept'>> {
  const { git } = context
  const before = await readSnapshot(git, record.commonDir, record.safetyRef)
  if (before === null) throw lost(record)
  const workTree = await findWorkTree(context, record.root)
  const ref = `${record.safetyRef}-undo`
  await dropRef(context, record.commonDir, ref)
  const present = await keepPresent(context, workTree, ref, before.meta, `before undoing the restore of ${record.source}`)
  const changed = force ? [] : await changedSince(context, record, present.tree, before.tree)
  const isChanged = new Set(changed)
  const paths = record.paths.filter((path) => !isChanged.has(path))
  // What a sparse checkout left out is to be absent again: the tree of the snapshot has it.
  const { onDisk } = await openSnapshot(git, record.commonDir, before.id)
  const target = { tree: onDisk, snapshot: before.id }
  const outcome =
    paths.length === 0
      ? { restored: [], refused: [] }
      : await restoreFiles(notedGit(git, context.folder), workTree, present, target, paths, onProgress)
  const kept = [
    ...changed.map((path) => `${path}: it was changed since`),
    ...outcome.refused.map(({ path, reason }) => `${path}: ${reason}`),
  ]
  return { restored: outcome.restored, kept }
}

async function treeBefore(context: CaptureContext, record: RestoreRecord): Promise<string> {
  const before = await readSnapshot(context.git, record.commonDir, record.safetyRef)
  if (before === null) throw lost(record)
  return before.tree
}

function lost({ id }: RestoreRecord): AppError {
  return new AppError('failed', `The state before the restore ${id} is gone; it cannot be undone.`, {
    hint: 'States before a restore are kept for 30 days.',
  })
}

/** Paths that are neither as restored nor as before. */
async function changedSince(context: CaptureContext, record: RestoreRecord, now: string, before: string): Promise<string[]> {
  if (record.paths.length === 0) return []
  const differs = async (tree: string) => {
    const changes = await listTreeChanges(context.git, record.commonDir, tree, now, record.paths)
    return changes.map(({ path }) => showPath(path))
  }
  const fromBefore = new Set(await differs(before))
  return (await differs(record.targetTree)).filter((path) => fromBefore.has(path))
}
