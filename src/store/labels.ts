// Labels people give sessions: ours alone, no agent's file knows of them.
import type { AgentId } from '../model/session.ts'
import type { Database } from './open.ts'

export interface LabelRecord {
  readonly agent: AgentId
  readonly sessionId: string
  readonly label: string
}

export function createLabelTable(db: Database) {
  const all = db.prepare<[], LabelRecord>('SELECT agent, session_id AS sessionId, label FROM labels')
  const put = db.prepare<LabelRecord>(
    'INSERT OR REPLACE INTO labels (agent, session_id, label) VALUES (@agent, @sessionId, @label)',
  )
  const remove = db.prepare<[string, string]>('DELETE FROM labels WHERE agent = ? AND session_id = ?')
  return {
    all: (): LabelRecord[] => all.all(),
    put(record: LabelRecord): void {
      put.run(record)
    },
    remove(agent: AgentId, sessionId: string): void {
      remove.run(agent, sessionId)
    },
  }
}
