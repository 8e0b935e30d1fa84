// Brings back what a restore that was cut off had written, and carries an undo of one through. What was changed since by
// somebody is left: it is neither the state before nor the one that was being restored.
import { errorMessage } from '../lib/error-message.ts'
import type { CutOff, Recovered, RecoverReport } from '../model/fork.ts'
import { readSnapshot } from '../snapshots/read-snapshot.ts'
import { isCutOff, type RestoreRecord } from '../store/restores.ts'
import type { CaptureContext } from './context.ts'
import { withWorkTreeLock } from './safety.ts'
import { bringBack, placeRecord } from './undo-restore.ts'

export async function recoverRestores(context: CaptureContext): Promise<RecoverReport> {
  const report = {
    completed: [],
    rolledBack: [] as Recovered[],
    undone: [] as Recovered[],
    problems: [] as (CutOff & { problem: string })[],
  }
  for (const cut of context.store().restores.cutOff()) {
    const { id, source } = cut
    const cutOff: CutOff = { id, kind: 'restore', title: `${source} in ${cut.root}` }
    try {
      const { root } = await placeRecord(context, cut)
      await withWorkTreeLock(context, root, async () => {
        // Finished by its own process between our look and the lock.
        const record = context.store().restores.get(id)
        if (record === null || !isCutOff(record)) return
        const notes = await recoverOne(context, await placeRecord(context, record))
        report[record.state === 'undoing' ? 'undone' : 'rolledBack'].push({ ...cutOff, notes })
      })
    } catch (error) {
      report.problems.push({ ...cutOff, problem: errorMessage(error) })
    }
  }
  return report
}

/** Answers with what stayed as it is, and why. */
async function recoverOne(context: CaptureContext, record: RestoreRecord): Promise<readonly string[]> {
  const safety = await readSnapshot(context.git, record.commonDir, record.safetyRef)
  if (safety === null) {
    // It had not begun: the state before is kept before the first file is written.
    context.store().restores.remove(record.id)
    return ['no file had been changed']
  }
  const { kept } = await bringBack(context, record, false)
  context.store().restores.put({ ...record, state: 'undone', undoneAt: context.now() })
  return kept
}
