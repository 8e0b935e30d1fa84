// Why the code of a turn was not captured. Installing hooks is advised only where that would change something.
import type { IsOpen } from '../model/capture.ts'
import type { CatalogSession } from '../model/catalog.ts'
import { AppError } from '../model/error.ts'
import { sessionAddress, turnAddress } from '../model/render.ts'
import type { Turn } from '../model/session.ts'
import type { CaptureContext } from './context.ts'
import { type HookLogLine, readHookLog } from './hook-log.ts'
import { withSnapshots } from './turn-snapshots.ts'

const elsewhere =
  '`offshoot doctor` shows what the hook reported last. See `offshoot turns <session>` for what was captured. A fork of the turn takes the nearest code that is known.'

interface Question {
  readonly moment?: 'start' | 'end'
  readonly isOpen?: IsOpen | undefined
}

export async function notCaptured(
  context: CaptureContext,
  session: CatalogSession,
  turn: Turn,
  { moment = 'end', isOpen }: Question = {},
): Promise<AppError> {
  const address = turnAddress(session, turn)
  const name = moment === 'start' ? `the start of ${address}` : address
  const captures = context.store().captures.ofTurn(session.agent, turn.id)
  if (moment === 'end' && captures.some(({ commonDir }) => commonDir === null)) {
    const hint = 'Code is captured inside of git repositories only: with `git init` in that folder, turns to come are.'
    return refused(name, ': it ran outside of any git repository', hint)
  }
  const why = await reasonFor(context, session, turn, { moment, isOpen })
  if (why !== null) return refused(name, `: ${why}`, elsewhere)
  return refused(name, '', await hintHooks(context, session))
}

/** No turn of the session was captured. */
export async function noneCaptured(context: CaptureContext, session: CatalogSession): Promise<AppError> {
  const hint = await hintHooks(context, session)
  return new AppError('not_captured', `No turn of ${sessionAddress(session)} was captured.`, hint === undefined ? {} : { hint })
}

/** `undefined`: to install them, which is what the error says by itself. */
async function hintHooks(context: CaptureContext, { agent }: CatalogSession): Promise<string | undefined> {
  if (!(await context.hasHooks(agent))) return undefined
  return `Hooks are installed, but none has recorded anything in this session: turns to come are captured once its agent is started again. ${elsewhere}`
}

function refused(name: string, why: string, hint?: string): AppError {
  return new AppError('not_captured', `The code of ${name} was not captured${why}.`, hint === undefined ? {} : { hint })
}

/** `null` where no turn of the session was captured, and the hook logged no error for this one. */
async function reasonFor(
  { catalog, store, folder }: CaptureContext,
  session: CatalogSession,
  turn: Turn,
  { moment = 'end', isOpen }: Question,
): Promise<string | null> {
  const captured = withSnapshots(store(), session, await catalog.listTurns(session, { refresh: false }))
  const turns = await Promise.all(captured.map((each) => withOpenCode(each, isOpen)))
  const problem = hookProblem(folder, turns, turn, session.id, moment)
  // It may name a place that whoever asks through a guard is not to see.
  if (problem !== null) return isOpen === undefined ? `the hook failed: ${problem}` : 'the hook failed'
  const first = turns.find(({ snapshot }) => snapshot != null)
  if (first === undefined) return null
  // Whether it never ran or could not log why it failed is not known.
  const unrecorded = `no hook recorded its ${moment}`
  if (moment === 'start' || turn.number === null) return unrecorded
  if (turn.number < (first.number ?? 0)) return `no hook recorded anything in this session before turn ${first.number}`
  if (turn.state === 'running') return 'it still runs, and is captured when it ends'
  const next = turns.find(({ number }) => number === (turn.number ?? 0) + 1)
  return next?.snapshot?.changesUnknown === true ? `${unrecorded} before turn ${next.number} began` : unrecorded
}

/** What the hook logged when it was to capture this moment; `null` where it logged no error. */
function hookProblem(
  folder: string,
  turns: readonly Turn[],
  turn: Turn,
  sessionId: string,
  moment: 'start' | 'end',
): string | null {
  if (turn.startedAt === null) return null
  const [event, next] = moment === 'end' ? ['turn_end', startBehind(turns, turn)] : ['prompt', turn.endedAt]
  const from = moment === 'end' ? turn.startedAt : turn.startedAt - promptLeadMs
  const line = loggedLines(folder).findLast(
    ({ session, event: logged, problem, at }) =>
      session === sessionId &&
      logged === event &&
      problem !== undefined &&
      Date.parse(at) >= from &&
      Date.parse(at) < (next ?? Infinity),
  )
  return line?.problem?.replace(/\.$/, '') ?? null
}

/** A prompt's hook runs before the agent writes the prompt. */
const promptLeadMs = 60_000

function startBehind(turns: readonly Turn[], { startedAt }: Turn): number | null {
  const later = turns.flatMap((each) => (each.startedAt !== null && each.startedAt > (startedAt ?? 0) ? [each.startedAt] : []))
  return later.length === 0 ? null : Math.min(...later)
}

function loggedLines(folder: string): readonly HookLogLine[] {
  try {
    return readHookLog(folder)
  } catch {
    return [] // doctor names a log that cannot be read
  }
}

async function withOpenCode(turn: Turn, isOpen: IsOpen | undefined): Promise<Turn> {
  const place = turn.snapshot?.place
  return place === undefined || isOpen === undefined || (await isOpen(place)) ? turn : { ...turn, snapshot: null }
}
