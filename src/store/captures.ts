// Captured turns: which snapshot belongs to which moment of which turn. Rebuilt from the refs when it is lost, but for turns
// outside of git, which have none.
import type { Capture, NotCovered, SharedWork } from '../model/capture.ts'
import type { AgentId } from '../model/session.ts'
import type { Database } from './open.ts'
import { correctOvertaken } from './overtaken-captures.ts'

export type CaptureKey = Pick<Capture, 'agent' | 'sessionId' | 'turnKey' | 'moment'>

type Row = Omit<Capture, 'files' | 'notCovered' | 'shared'> & Record<'files' | 'notCovered', string> & { shared: string | null }

const columns = `agent, session_id AS sessionId, turn_key AS turnKey, moment, turn_id AS turnId, number, prompt,
  captured_by AS "by", common_dir AS commonDir, root, ref, snapshot, tree, head, branch, commit_id AS "commit",
  started_at AS startedAt, ended_at AS endedAt, start_tree AS startTree, files, added, removed, not_covered AS notCovered, shared`

const order = 'ORDER BY COALESCE(ended_at, started_at), moment DESC, turn_key'

export function createCaptureTable(db: Database) {
  const all = db.prepare<[], Row>(`SELECT ${columns} FROM captures ${order}`)
  const ofSession = db.prepare<[string, string], Row>(
    `SELECT ${columns} FROM captures WHERE agent = ? AND session_id = ? ${order}`,
  )
  const ofTurn = db.prepare<[string, string], Row>(`SELECT ${columns} FROM captures WHERE turn_id = ? AND agent = ? ${order}`)
  const one = db.prepare<CaptureKey, Row>(
    `SELECT ${columns} FROM captures
     WHERE agent = @agent AND session_id = @sessionId AND turn_key = @turnKey AND moment = @moment`,
  )
  const mayHoldWrong = db.prepare<[string, string, string, string], { found: 0 | 1 }>(
    `SELECT EXISTS (SELECT 1 FROM captures WHERE agent = ? AND session_id = ?
         AND captured_by = 'hook' AND started_at IS NULL)
       AND EXISTS (SELECT 1 FROM captures WHERE agent = ? AND session_id = ? AND started_at IS NOT NULL) AS found`,
  )
  const incomplete = db.prepare<[], { agent: AgentId; sessionId: string }>(
    'SELECT DISTINCT agent, session_id AS sessionId FROM captures WHERE turn_id IS NULL OR number IS NULL',
  )
  const sessions = db.prepare<[], { agent: AgentId; sessionId: string }>(
    'SELECT DISTINCT agent, session_id AS sessionId FROM captures',
  )
  const put = db.prepare(
    `INSERT OR REPLACE INTO captures (agent, session_id, turn_key, moment, turn_id, number, prompt, captured_by, common_dir,
       root, ref, snapshot, tree, head, branch, commit_id, started_at, ended_at, start_tree, files, added, removed, not_covered,
       shared)
     VALUES (@agent, @sessionId, @turnKey, @moment, @turnId, @number, @prompt, @by, @commonDir,
       @root, @ref, @snapshot, @tree, @head, @branch, @commit, @startedAt, @endedAt, @startTree, @files, @added, @removed, @notCovered,
       @shared)`,
  )
  const remove = db.prepare(
    'DELETE FROM captures WHERE agent = @agent AND session_id = @sessionId AND turn_key = @turnKey AND moment = @moment',
  )
  const during = db.prepare<{ root: string; from: number; to: number }, Row>(
    `SELECT ${columns} FROM captures
     WHERE root = @root AND COALESCE(started_at, ended_at) < @to
       AND ((moment = 'end' AND ended_at > @from) OR (moment = 'start' AND started_at >= @from)) ${order}`,
  )
  const judgeable = `moment = 'end' AND tree IS NOT NULL AND start_tree IS NOT NULL AND started_at IS NOT NULL
    AND (shared IS NULL OR shared LIKE '%"open":true%')`
  const unjudged = db.prepare<[], Row>(`SELECT ${columns} FROM captures WHERE ${judgeable} ${order}`)
  const anyUnjudged = db.prepare<[], { found: number }>(`SELECT 1 AS found FROM captures WHERE ${judgeable} LIMIT 1`)
  const count = db.prepare<[], { count: number }>('SELECT COUNT(*) AS count FROM captures')
  const ofSessionRight = (agent: AgentId, sessionId: string): Capture[] =>
    correctOvertaken(ofSession.all(agent, sessionId).map(toCapture))
  return {
    /** Oldest first, the start of a turn before its end. */
    all(): Capture[] {
      const rows = all.all().map(toCapture)
      const bySession = new Map<string, Capture[]>()
      for (const row of rows) {
        const key = `${row.agent} ${row.sessionId}`
        const own = bySession.get(key)
        if (own === undefined) bySession.set(key, [row])
        else own.push(row)
      }
      const right = new Map([...bySession.values()].flatMap(correctOvertaken).map((row) => [keyOf(row), row]))
      return rows.flatMap((row) => right.get(keyOf(row)) ?? [])
    },
    ofSession: ofSessionRight,
    /** Every state that was recorded in a session, also under a turn it is not of. */
    statesOf: (agent: AgentId, sessionId: string): Capture[] => ofSession.all(agent, sessionId).map(toCapture),
    /** Forks share their parent's turns: the capture may be of another session. */
    ofTurn(agent: AgentId, turnId: string): Capture[] {
      const rows = ofTurn.all(turnId, agent).map(toCapture)
      // Asked for every turn of a fork: the complete session is read only where it may hold a row to correct.
      return rows.flatMap((row) => {
        if (mayHoldWrong.get(agent, row.sessionId, agent, row.sessionId)?.found !== 1) return row
        return ofSessionRight(agent, row.sessionId).filter((each) => keyOf(each) === keyOf(row))
      })
    },
    get({ agent, sessionId, turnKey, moment }: CaptureKey): Capture | null {
      const row = one.get({ agent, sessionId, turnKey, moment })
      return row === undefined ? null : toCapture(row)
    },
    /** Sessions with captures whose turn is not known yet. */
    incompleteSessions: (): { agent: AgentId; sessionId: string }[] => incomplete.all(),
    sessions: (): { agent: AgentId; sessionId: string }[] => sessions.all(),
    /** Moments of turns that ran in this work tree at some time between these two. */
    during: (root: string, from: number, to: number): Capture[] => during.all({ root, from, to }).map(toCapture),
    /** Ends of turns of which nobody has found out yet whether other sessions worked in the same folder. */
    unjudged: (): Capture[] => unjudged.all().map(toCapture),
    hasUnjudged: (): boolean => anyUnjudged.get() !== undefined,
    count: (): number => count.get()?.count ?? 0,
    put(capture: Capture): void {
      put.run({
        ...capture,
        files: JSON.stringify(capture.files),
        notCovered: JSON.stringify(capture.notCovered),
        shared: capture.shared === undefined ? null : JSON.stringify(capture.shared),
      })
    },
    remove({ agent, sessionId, turnKey, moment }: CaptureKey): void {
      remove.run({ agent, sessionId, turnKey, moment })
    },
  }
}

function keyOf({ agent, sessionId, turnKey, moment }: CaptureKey): string {
  return `${agent} ${sessionId} ${turnKey} ${moment}`
}

function toCapture({ shared, ...row }: Row): Capture {
  return {
    ...row,
    files: JSON.parse(row.files) as string[],
    notCovered: JSON.parse(row.notCovered) as NotCovered[],
    ...(shared === null ? {} : { shared: JSON.parse(shared) as SharedWork | null }),
  }
}
