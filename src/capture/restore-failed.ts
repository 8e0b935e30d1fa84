// A restore that failed: its files are brought back at once, and the error says in what state they are.
import { errorMessage } from '../lib/error-message.ts'
import { explainMachine } from '../lib/machine-fault.ts'
import { AppError } from '../model/error.ts'
import { readSnapshot } from '../snapshots/read-snapshot.ts'
import type { RestoreRecord } from '../store/restores.ts'
import type { CaptureContext } from './context.ts'
import { dropRef } from './safety.ts'
import { bringBack } from './undo-restore.ts'

/** Called while the work tree is still held. Answers with what is to be thrown. */
export async function afterFailure(context: CaptureContext, record: RestoreRecord, error: unknown): Promise<unknown> {
  try {
    if (error instanceof AppError && error.code === 'plan_stale') {
      await dropRef(context, record.commonDir, record.safetyRef)
      context.store().restores.remove(record.id)
      return error
    }
    if ((await readSnapshot(context.git, record.commonDir, record.safetyRef)) === null) {
      context.store().restores.remove(record.id)
      return explain(error, 'No file was changed.')
    }
    const { kept } = await bringBack(context, record, false)
    context.store().restores.put({ ...record, state: 'undone', undoneAt: context.now() })
    return explain(error, kept.length === 0 ? 'The files are as they were before.' : `As before, but for ${kept.join('; ')}.`)
  } catch (second) {
    const left = `Some files in ${record.root} may be restored and some not; how they were before is kept (${record.id}).`
    const hint = `Once the cause is mended, \`offshoot doctor --fix\` brings them back. (${errorMessage(second)})`
    return explain(error, left, hint)
  }
}

function explain(thrown: unknown, state: string, hint?: string): unknown {
  const error = explainMachine(thrown)
  if (!(error instanceof Error)) return error
  const { message } = error
  const known = error instanceof AppError ? error : null
  return new AppError(hint === undefined && known !== null ? known.code : 'failed', `The restore failed: ${message} ${state}`, {
    ...(hint === undefined ? (known === null ? {} : { hint: known.hint }) : { hint }),
    ...(known?.details === undefined ? {} : { details: known.details }),
    cause: error,
  })
}
