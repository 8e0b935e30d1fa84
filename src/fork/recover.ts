// Clears up what was cut off: a fork whose session was made is proven and completed, one that was not is taken back, an undo
// is carried through. What another process is still working on is left to it.
import { errorMessage } from '../lib/error-message.ts'
import type { CutOff, Recovered, RecoverReport } from '../model/fork.ts'
import type { ForkRecord } from '../store/forks.ts'
import type { ForkContext } from './context.ts'
import { rollBack, withForkLock } from './saga.ts'
import type { Undo } from './take-back.ts'
import { isForked } from './view.ts'

export async function recover(context: ForkContext): Promise<RecoverReport> {
  const report = {
    completed: [] as Recovered[],
    rolledBack: [] as Recovered[],
    undone: [] as Recovered[],
    problems: [] as (CutOff & { problem: string })[],
  }
  for (const forkId of context.store().journal.openForks()) {
    const cutOff = describe(forkId, context.store().forks.get(forkId))
    try {
      const outcome = await withForkLock(context, forkId, () => recoverOne(context, forkId))
      if (outcome !== null) report[outcome.how].push({ ...cutOff, notes: outcome.notes })
    } catch (error) {
      report.problems.push({ ...cutOff, problem: errorMessage(error) })
    }
  }
  return report
}

/** Nothing is known of one that was cut off before it was written down. */
function describe(id: string, record: ForkRecord | null): CutOff {
  return { id, kind: record === null || isForked(record) ? 'fork' : 'start', title: record?.title ?? '' }
}

interface Outcome {
  readonly how: 'completed' | 'rolledBack' | 'undone'
  readonly notes: readonly string[]
}

async function recoverOne(context: ForkContext, forkId: string): Promise<Outcome | null> {
  const steps = context.store().journal.stepsOf(forkId)
  // Finished by its own process between our look at the journal and the lock.
  if (steps.length === 0) return null
  const record = context.store().forks.get(forkId)
  if (record?.state === 'undoing') {
    const { kept } = await (await import('./undo.ts')).carryUndoThrough(context, record)
    return { how: 'undone', notes: kept }
  }
  const made = steps.some(({ step, done }) => step === 'session' && done)
  const cutOff = steps.find(({ step, done }) => step === 'setup' && !done)?.undo as Undo | undefined
  const notes = record !== null && made ? await complete(context, record, cutOff) : null
  if (notes !== null) return { how: 'completed', notes }
  return { how: 'rolledBack', notes: await rollBack(context, forkId) }
}

/** The session was made, its proof was not: then it is proven now, as far as that is still possible. `null`: it is not. */
async function complete(context: ForkContext, record: ForkRecord, setup: Undo | undefined): Promise<readonly string[] | null> {
  const [{ finishFork }, { proveAgain }] = await Promise.all([import('./record.ts'), import('./prove-again.ts')])
  const proof = await proveAgain(context, record)
  if (proof === null || proof.prefixVerified === false || !proof.cwdVerified) return null
  const notes = setup?.kind === 'setup' ? [await settleSetup(context, record, setup)] : []
  finishFork(context, { ...record, state: 'made', proof: { ...proof, details: [...proof.details, ...notes] } })
  return notes
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
