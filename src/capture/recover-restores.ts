// Brings back what a restore that was cut off had written, and carries an undo of one through. What was changed since by
// somebody is left: it is neither the state before nor the one that was being restored.
import { errorMessage } from '../lib/error-message.ts'
import type { RecoverReport } from '../model/fork.ts'
import { readSnapshot } from '../snapshots/read-snapshot.ts'
import type { RestoreRecord } from '../store/restores.ts'
import type { CaptureContext } from './context.ts'
import { withWorkTreeLock } from './safety.ts'
import { bringBack } from './undo-restore.ts'

export async function recoverRestores(context: CaptureContext): Promise<RecoverReport> {
  const report = { completed: [] as string[], rolledBack: [] as string[], problems: [] as { forkId: string; problem: string }[] }
  for (const { id, root } of findCutOff(context)) {
    try {
      await withWorkTreeLock(context, root, async () => {
        // Finished by its own process between our look and the lock.
        const record = context.store().restores.get(id)
        if (record === null || !isCutOff(record)) return
        await recoverOne(context, record)
        report[record.state === 'undoing' ? 'completed' : 'rolledBack'].push(id)
      })
    } catch (error) {
      report.problems.push({ forkId: id, problem: errorMessage(error) })
    }
  }
  return report
}

export function findCutOff(context: CaptureContext): RestoreRecord[] {
  return context.store().restores.all().filter(isCutOff)
}

function isCutOff({ state }: RestoreRecord): boolean {
  return state === 'restoring' || state === 'undoing'
}

async function recoverOne(context: CaptureContext, record: RestoreRecord): Promise<void> {
  const safety = await readSnapshot(context.git, record.commonDir, record.safetyRef)
  if (safety === null) {
    // It had not begun: the state before is kept before the first file is written.
    context.store().restores.remove(record.id)
    return
  }
  await bringBack(context, record, false)
  context.store().restores.put({ ...record, state: 'undone', undoneAt: context.now() })
}
