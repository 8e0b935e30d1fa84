// Forks a session at a turn, the conversation alone, and holds the child against its parent up to that turn: as we read it, and as
// the SDK reads it.
import type { App } from '../../src/app.ts'
import { errorMessage } from '../../src/lib/error-message.ts'
import type { CatalogSession } from '../../src/model/catalog.ts'
import type { ForkResult } from '../../src/model/fork.ts'
import type { Turn } from '../../src/model/session.ts'
import { compareHistory, type SeenItem } from '../real/lib/history.ts'
import { compareReadings, readContext } from './reading.ts'
import type { Report } from './report.ts'
import type { Sdk } from './sdk.ts'
import { fromSdk } from './sdk-items.ts'

export const forkKinds = [
  { name: 'unfinished turn', reason: 'The agent may still be at work on a turn that has no end: forking it is refused.' },
] as const

export interface ForkCheck {
  readonly app: App
  readonly sdk: Sdk
  readonly report: Report
}

export async function checkFork({ app, sdk, report }: ForkCheck, session: CatalogSession, turn: Turn): Promise<void> {
  const where = `${session.id}@${turn.number ?? turn.id}`
  const made = await makeFork(app, session, turn)
  if (typeof made === 'string') {
    const isUnfinished = turn.state === 'running'
    return report.note('forks made and proven', where, isUnfinished ? { kinds: [forkKinds[0].name] } : { problem: made })
  }
  report.note('forks made and proven', where, {})
  const { items: expected } = await readContext(app, session, { upTo: { turnId: turn.id } })
  const { session: child } = await app.resolve(made.fork.sessionId)
  const { items: ours } = await readContext(app, child)
  report.noteComparison('children, as we read them', where, compareHistory(expected, ours))
  const { items: whole } = await readContext(app, session, { upTo: { turnId: turn.id }, view: 'all' })
  const { items: wholeChild } = await readContext(app, child, { view: 'all' })
  report.noteComparison('children, all they show', where, compareHistory(whole, wholeChild))
  report.noteComparison(
    'children, as the SDK reads them',
    where,
    compareReadings(expected, fromSdk(await sdk.messages(child.id)), false),
  )
  await app.undo(made.fork.id)
}

/** A fork that is written on by whoever is handed it; nothing where none can be made, which `checkFork` says. */
export async function withFork(
  app: App,
  session: CatalogSession,
  turn: Turn,
  use: (sessionId: string, expected: readonly SeenItem[]) => Promise<void>,
): Promise<void> {
  const made = await makeFork(app, session, turn)
  if (typeof made === 'string') return
  const { items: expected } = await readContext(app, session, { upTo: { turnId: turn.id } })
  await use(made.fork.sessionId, expected)
  await app.undo(made.fork.id, { force: true })
}

/** Why there is none, where there is none. */
async function makeFork(app: App, session: CatalogSession, turn: Turn): Promise<ForkResult | string> {
  try {
    const plan = await app.planFork({ address: `claude:${session.id}@${turn.id}`, code: 'none', strategy: 'prefix' })
    const made = await app.executeFork(plan, { accept: plan.confirm })
    const { sourceUnchanged, prefixVerified, cwdVerified, details } = made.proof
    return sourceUnchanged && prefixVerified === true && cwdVerified ? made : details.join('; ')
  } catch (error) {
    return errorMessage(error)
  }
}
