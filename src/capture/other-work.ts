// Which other sessions were at work in the work tree of a captured turn while it ran, and what their tools did to files, as far as
// captures and transcripts tell.
import { agentOf } from '../agents/agent-of.ts'
import type { RecordedEdits } from '../agents/recorded-edits.ts'
import { fileErrorCode } from '../lib/file-errors.ts'
import { isFolder } from '../lib/is-folder.ts'
import type { Capture } from '../model/capture.ts'
import { AppError } from '../model/error.ts'
import type { AgentId, Turn } from '../model/session.ts'
import { findRepositoryIfAny } from '../snapshots/repository.ts'
import type { StoredSession } from '../store/sessions.ts'
import type { CaptureContext } from './context.ts'
import { truePath } from './edit-places.ts'

/** An end whose beginning was seen too. */
export type JudgedCapture = Capture &
  Record<'commonDir' | 'root' | 'tree' | 'startTree', string> &
  Record<'startedAt' | 'endedAt', number>

export function canBeJudged(capture: Capture): capture is JudgedCapture {
  const { moment, commonDir, root, tree, startTree, startedAt, endedAt } = capture
  const named = [commonDir, root, tree, startTree].every((each) => each !== null)
  return moment === 'end' && named && startedAt !== null && endedAt !== null
}

/** A turn of another session that ran meanwhile. */
export interface OtherTurn {
  /** `codex:<id>`. */
  readonly session: string
  /** `null`: not known. */
  readonly turnId: string | null
  readonly from: number
  readonly to: number
  /** It is still running. */
  readonly open: boolean
}

/** What a session's tools did to files in some of its turns. */
export interface ToolWork {
  /** Files its edit tools changed, relative to the root. */
  readonly edited: ReadonlySet<string>
  /** It may have changed others, which the transcript does not tell. */
  readonly unrecorded: boolean
}

export interface WorkBook {
  /** Whether its session and turn are known; they are not before the transcript was read. */
  knows(capture: Pick<Capture, 'agent' | 'sessionId' | 'turnId'>): boolean
  othersDuring(capture: JudgedCapture): Promise<OtherTurn[]>
  /** Of some turns of a session, `null` among them where one is not known. */
  toolsOf(session: string, turnIds: readonly (string | null)[], root: string): Promise<ToolWork>
}

/** For one pass: what is read is kept. */
export function createWorkBook(context: CaptureContext): WorkBook {
  const { store, git } = context
  const rows = store().sessions.list()
  const byName = new Map(rows.map((row) => [`${row.agent}:${row.id}`, row]))
  const turnsOf = remember((row: StoredSession) => store().turns.of(row.key))
  const rootOf = remember(async (folder: string) =>
    isFolder(folder) ? ((await findRepositoryIfAny(git, folder))?.root ?? null) : null,
  )
  const readUpTo = remember((address: string) => {
    const [name = '', turnId = ''] = address.split('@')
    return readEdits(context, byName.get(name), turnId)
  })

  /** Of its own turns only: those a fork inherited ran in its parent. */
  function ownTurnsDuring(row: StoredSession, { startedAt: from, endedAt: to }: JudgedCapture): Turn[] {
    const inherited = row.turns - row.ownTurns
    return turnsOf(row)
      .filter(({ number }) => number === null || number > inherited)
      .filter((turn) => turn.startedAt !== null && turn.startedAt < to && endOf(turn) > from)
  }

  async function othersDuring(capture: JudgedCapture): Promise<OtherTurn[]> {
    const { root, startedAt: from, endedAt: to } = capture
    const own = nameOf(capture)
    const ownRow = byName.get(own)
    const known = new Set(ownRow === undefined ? [] : turnsOf(ownRow).map(({ id }) => id))
    const captured = store()
      .captures.during(root, from, to)
      .filter((each) => nameOf(each) !== own && !(each.turnId !== null && known.has(each.turnId)))
    const found: OtherTurn[] = []
    for (const each of captured) {
      const { moment, turnId, startedAt, endedAt, by } = each
      if (moment !== 'end' || endedAt === null) continue
      found.push({ session: nameOf(each), turnId, from: startedAt ?? endedAt, to: endedAt, open: false })
      // An agent waits for its hook: before the beginning it told of, the turn did nothing, whatever its prompt's time is.
      if (turnId !== null && startedAt !== null && by !== 'watcher') known.add(turnId)
    }
    const seenHere = new Set(captured.map(nameOf))
    for (const row of rows) {
      const session = `${row.agent}:${row.id}`
      if (session === own || row.cwd === null || (row.updatedAt ?? to) < from || (row.createdAt ?? from) > to) continue
      if (!seenHere.has(session) && row.cwd !== root && !row.cwd.startsWith(`${root}/`)) continue
      const turns = ownTurnsDuring(row, capture).filter(({ id }) => !known.has(id))
      if (turns.length === 0 || (!seenHere.has(session) && (await rootOf(row.cwd)) !== root)) continue
      for (const turn of turns) {
        const open = turn.state === 'running'
        found.push({ session, turnId: turn.id, from: turn.startedAt ?? from, to: endOf(turn), open })
      }
    }
    return found
  }

  async function toolsOf(session: string, turnIds: readonly (string | null)[], root: string): Promise<ToolWork> {
    const row = byName.get(session)
    const turns = row === undefined ? [] : turnsOf(row)
    const live = turns.findLast(({ number }) => number !== null)?.id
    const edited = new Set<string>()
    let unrecorded = false
    for (const id of new Set(turnIds)) {
      // One reading of the live branch serves all of its turns.
      const isLive = turns.some((turn) => turn.id === id && turn.number !== null)
      const recorded = id === null ? null : await readUpTo(`${session}@${isLive ? live : id}`)
      if (recorded === null) return { edited, unrecorded: true }
      for (const { turnId, path, movedTo } of recorded.edits) {
        if (turnId !== id) continue
        for (const each of movedTo === undefined ? [path] : [path, movedTo]) {
          const place = await truePath(each)
          if (place.startsWith(`${root}/`)) edited.add(place.slice(root.length + 1))
        }
      }
      unrecorded ||= recorded.unrecorded.some(({ turnId, outside }) => turnId === id && outside !== true)
    }
    return { edited, unrecorded }
  }

  return {
    othersDuring,
    toolsOf,
    knows({ turnId, ...session }) {
      const row = byName.get(nameOf(session))
      return row !== undefined && turnId !== null && turnsOf(row).some(({ id }) => id === turnId)
    },
  }
}

/** `null` where the transcript cannot be read, or does not have the turn. */
async function readEdits(context: CaptureContext, row: StoredSession | undefined, turnId: string): Promise<RecordedEdits | null> {
  if (row === undefined || row.state === 'gone') return null
  try {
    return await context.catalog.withFiles(row, (file, env) => agentOf(context, row.agent).readEdits(file, env, { turnId }))
  } catch (error) {
    if (error instanceof AppError || fileErrorCode(error) !== undefined) return null
    throw error
  }
}

export function nameOf({ agent, sessionId }: { readonly agent: AgentId; readonly sessionId: string }): string {
  return `${agent}:${sessionId}`
}

function endOf({ state, startedAt, endedAt }: Turn): number {
  return state === 'running' ? Number.POSITIVE_INFINITY : (endedAt ?? startedAt ?? 0)
}

function remember<K, V>(read: (key: K) => V): (key: K) => V {
  const known = new Map<K, V>()
  return (key) => {
    const found = known.get(key)
    if (found !== undefined) return found
    const value = read(key)
    known.set(key, value)
    return value
  }
}
