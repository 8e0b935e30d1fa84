// Captures turns without hooks, while somebody watches (the terminal UI, the server): a turn that is seen to begin and to end
// in its transcript is told to the recorder as a hook would. Shortly after the fact, and marked so. Sessions whose agent has
// hooks are left to them, and turns that ended before anyone looked are not guessed at.
import type { HookEvent } from '../agents/hooks.ts'
import { errorMessage } from '../lib/error-message.ts'
import { createExecGroup } from '../lib/exec-group.ts'
import type { CatalogSession, SessionChange } from '../model/catalog.ts'
import type { Turn } from '../model/session.ts'
import { isSafeId } from '../snapshots/snapshot.ts'
import { pushWaiting } from './after.ts'
import type { CaptureContext } from './context.ts'
import { ingest } from './ingest.ts'
import { recordEvent } from './record-event.ts'
import { readState, sessionFolder } from './session-state.ts'

export interface CaptureWatching {
  close(): Promise<void>
}

export interface WatchCaptureOptions {
  /** Told of each turn that was captured. */
  readonly onCaptured?: (session: CatalogSession, turn: Turn) => void
  readonly onProblem?: (problem: string) => void
  readonly pushEveryMs?: number
}

/** A turn that ended so shortly before the watching began is still as it was left. */
const graceMs = 2000
/** Between two looks for branches that wait to be pushed. */
const pushEveryMs = 30_000

export async function watchCaptures(context: CaptureContext, options: WatchCaptureOptions = {}): Promise<CaptureWatching> {
  const since = context.now() - graceMs
  /** What was last told of each session, so that one change of its file is one event. */
  const told = new Map<string, string>()
  let working: Promise<void> = Promise.resolve()
  const tellProblem = (error: unknown) => options.onProblem?.(errorMessage(error))
  const pushing = createExecGroup()
  let pushed: Promise<void> = Promise.resolve()
  const push = () => {
    pushed = pushed.then(() => pushWaiting(context, pushing)).catch(tellProblem)
  }
  const looks = setInterval(push, options.pushEveryMs ?? pushEveryMs).unref()

  async function look({ agent, sessionId }: SessionChange): Promise<void> {
    const sessions = await context.catalog.listSessions({ agent }, { refresh: false })
    const session = sessions.find((each) => each.id === sessionId)
    if (session === undefined || session.cwd === null || !isSafeId(session.id) || hasHooks(context, session)) return
    const turn = (await context.catalog.listTurns(session, { refresh: false })).at(-1)
    if (turn === undefined || !isSafeId(turn.id) || !ranHere(session, turn)) return
    const kind = turn.state === 'running' ? 'prompt' : 'turn_end'
    const mark = `${turn.id} ${kind === 'prompt' ? '' : turn.endedAt}`
    const before = told.get(session.path)
    if (before === mark) return
    const wasSeen = before?.startsWith(`${turn.id} `) ?? false
    if (!wasSeen && kind === 'turn_end' && (turn.endedAt ?? 0) < since) return
    told.set(session.path, mark)
    await tell(session, turn, kind, session.cwd)
  }

  async function tell(session: CatalogSession, turn: Turn, kind: HookEvent['kind'], cwd: string): Promise<void> {
    const { agent, id: sessionId, path: transcriptPath } = session
    const event: HookEvent = { kind, sessionId, transcriptPath, cwd, turnKey: turn.id, prompt: turn.prompt }
    const { folder, git, now } = context
    const maxFileBytes = await context.maxFileBytes()
    const { captured } = await recordEvent({ folder, git, now, maxFileBytes }, { agent, event, by: 'watcher', turnId: turn.id })
    if (captured === 0) return
    await ingest(context)
    if (kind !== 'turn_end') return
    push()
    options.onCaptured?.(session, turn)
  }

  const watching = await context.catalog.watch((change) => {
    if (change.change === 'removed') return
    working = working.then(() => look(change)).catch(tellProblem)
  })
  return {
    async close() {
      clearInterval(looks)
      await watching.close()
      await working
      // A remote that does not answer holds nobody who wants to leave.
      pushing.kill()
      await pushed
    },
  }
}

/** What a fork inherited ran elsewhere, and a seed changes nothing: the work that a fork carries is not theirs. */
function ranHere({ turns, ownTurns, parent }: CatalogSession, { number }: Turn): boolean {
  const place = number ?? turns
  return place > turns - ownTurns && !(parent?.kind === 'seed' && place === 1)
}

function hasHooks({ folder }: CaptureContext, { agent, id }: CatalogSession): boolean {
  return readState(sessionFolder(folder, agent, id))?.by === 'hook'
}
