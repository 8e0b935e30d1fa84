// Captured turns: which snapshot belongs to which moment of which turn. Rebuilt from the refs when it is lost, but for turns
// outside of git, which have none.
import type { Capture, NotCovered } from '../model/capture.ts'
import type { AgentId } from '../model/session.ts'
import type { Database } from './open.ts'

export type CaptureKey = Pick<Capture, 'agent' | 'sessionId' | 'turnKey' | 'moment'>

type Row = Omit<Capture, 'files' | 'notCovered'> & Record<'files' | 'notCovered', string>

const columns = `agent, session_id AS sessionId, turn_key AS turnKey, moment, turn_id AS turnId, number, prompt,
  captured_by AS "by", common_dir AS commonDir, root, ref, snapshot, tree, head, branch, commit_id AS "commit",
  started_at AS startedAt, ended_at AS endedAt, start_tree AS startTree, files, added, removed, not_covered AS notCovered`

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
  const incomplete = db.prepare<[], { agent: AgentId; sessionId: string }>(
    'SELECT DISTINCT agent, session_id AS sessionId FROM captures WHERE turn_id IS NULL OR number IS NULL',
  )
  const sessions = db.prepare<[], { agent: AgentId; sessionId: string }>(
    'SELECT DISTINCT agent, session_id AS sessionId FROM captures',
  )
  const put = db.prepare(
    `INSERT OR REPLACE INTO captures (agent, session_id, turn_key, moment, turn_id, number, prompt, captured_by, common_dir,
       root, ref, snapshot, tree, head, branch, commit_id, started_at, ended_at, start_tree, files, added, removed, not_covered)
     VALUES (@agent, @sessionId, @turnKey, @moment, @turnId, @number, @prompt, @by, @commonDir,
       @root, @ref, @snapshot, @tree, @head, @branch, @commit, @startedAt, @endedAt, @startTree, @files, @added, @removed, @notCovered)`,
  )
  const remove = db.prepare(
    'DELETE FROM captures WHERE agent = @agent AND session_id = @sessionId AND turn_key = @turnKey AND moment = @moment',
  )
  const count = db.prepare<[], { count: number }>('SELECT COUNT(*) AS count FROM captures')
  return {
    /** Oldest first, the start of a turn before its end. */
    all: (): Capture[] => all.all().map(toCapture),
    ofSession: (agent: AgentId, sessionId: string): Capture[] => ofSession.all(agent, sessionId).map(toCapture),
    /** Forks share their parent's turns: the capture may be of another session. */
    ofTurn: (agent: AgentId, turnId: string): Capture[] => ofTurn.all(turnId, agent).map(toCapture),
    get({ agent, sessionId, turnKey, moment }: CaptureKey): Capture | null {
      const row = one.get({ agent, sessionId, turnKey, moment })
      return row === undefined ? null : toCapture(row)
    },
    /** Sessions with captures whose turn is not known yet. */
    incompleteSessions: (): { agent: AgentId; sessionId: string }[] => incomplete.all(),
    sessions: (): { agent: AgentId; sessionId: string }[] => sessions.all(),
    count: (): number => count.get()?.count ?? 0,
    put(capture: Capture): void {
      put.run({ ...capture, files: JSON.stringify(capture.files), notCovered: JSON.stringify(capture.notCovered) })
    },
    remove({ agent, sessionId, turnKey, moment }: CaptureKey): void {
      remove.run({ agent, sessionId, turnKey, moment })
    },
  }
}

function toCapture(row: Row): Capture {
  return {
    ...row,
    files: JSON.parse(row.files) as string[],
    notCovered: JSON.parse(row.notCovered) as NotCovered[],
  }
}
