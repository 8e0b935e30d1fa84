// Clears up what was cut off: a fork whose session was made is proven and completed, one that was not is taken back, an undo
// is carried through. What another process is still working on is left to it.
import { errorMessage } from '../lib/error-message.ts'
import type { RecoverReport } from '../model/fork.ts'
import type { ForkRecord } from '../store/forks.ts'
import type { ForkContext } from './context.ts'
import { rollBack, withForkLock } from './saga.ts'
import type { Undo } from './take-back.ts'

export async function recover(context: ForkContext): Promise<RecoverReport> {
  const report = { completed: [] as string[], rolledBack: [] as string[], problems: [] as { forkId: string; problem: string }[] }
  for (const forkId of context.store().journal.openForks()) {
    try {
      const outcome = await withForkLock(context, forkId, () => recoverOne(context, forkId))
      if (outcome === 'completed') report.completed.push(forkId)
      if (outcome === 'rolled back') report.rolledBack.push(forkId)
    } catch (error) {
      report.problems.push({ forkId, problem: errorMessage(error) })
    }
  }
  return report
}

type Outcome = 'completed' | 'rolled back' | 'nothing'

async function recoverOne(context: ForkContext, forkId: string): Promise<Outcome> {
  const steps = context.store().journal.stepsOf(forkId)
  // Finished by its own process between our look at the journal and the lock.
  if (steps.length === 0) return 'nothing'
  const record = context.store().forks.get(forkId)
  if (record?.state === 'undoing') {
    await (await import('./undo.ts')).carryUndoThrough(context, record)
    return 'completed'
  }
  const made = steps.some(({ step, done }) => step === 'session' && done)
  const cutOff = steps.find(({ step, done }) => step === 'setup' && !done)?.undo as Undo | undefined
  if (record !== null && made && (await complete(context, record, cutOff))) return 'completed'
  await rollBack(context, forkId)
  return 'rolled back'
}

/** The session was made, its proof was not: then it is proven now, as far as that is still possible. */
async function complete(context: ForkContext, record: ForkRecord, setup: Undo | undefined): Promise<boolean> {
  const [{ finishFork }, { proveAgain }] = await Promise.all([import('./record.ts'), import('./prove-again.ts')])
  const proof = await proveAgain(context, record)
  if (proof === null || proof.prefixVerified === false || !proof.cwdVerified) return false
  const details = setup?.kind === 'setup' ? [await settleSetup(context, record, setup)] : []
  finishFork(context, { ...record, state: 'made', proof: { ...proof, details: [...proof.details, ...details] } })
  return true
}

/** The command ended with the process that ran it; what it wrote until then stays. */
async function settleSetup(
  context: ForkContext,
  { workspaceId }: ForkRecord,
  { command, path }: Extract<Undo, { kind: 'setup' }>,
): Promise<string> {
  const { rememberAsMade } = await import('./set-up.ts')
  if (workspaceId !== null) await rememberAsMade(context, workspaceId)
  return `the set-up command ${JSON.stringify(command)} was cut off; it can be run again in ${path}`
}
