// What was injected into which fork: hashes and sizes only, never the transcript or the prompt itself.
import type { AgentId } from '../model/session.ts'
import type { Database } from './open.ts'

export interface ForkSeedRecord {
  /** The fork's id, which the seed's marker carries. */
  readonly id: string
  readonly agent: AgentId
  readonly parentAgent: AgentId
  readonly parentSessionId: string
  readonly parentWorkspace: string | null
  readonly createdAt: number
  readonly seedPromptHash: string
  /** `null` once the prompt was used: its file is gone then. */
  readonly seedPromptPath: string | null
  readonly tokenEstimate: number
  readonly contextWindow: number | null
  /** The one-line acknowledgement came and is kept from the person's sight. */
  readonly seedAckFiltered: boolean
}

type Row = Omit<ForkSeedRecord, 'seedAckFiltered'> & { seedAckFiltered: number }

export function createForkSeedTable(db: Database) {
  const one = db.prepare<[string], Row>(
    `SELECT id, agent, parent_agent AS parentAgent, parent_session_id AS parentSessionId, parent_workspace AS parentWorkspace,
       created_at AS createdAt, seed_prompt_hash AS seedPromptHash, seed_prompt_path AS seedPromptPath,
       token_estimate AS tokenEstimate, context_window AS contextWindow, seed_ack_filtered AS seedAckFiltered
     FROM fork_seeds WHERE id = ?`,
  )
  const put = db.prepare(
    `INSERT OR REPLACE INTO fork_seeds (id, agent, parent_agent, parent_session_id, parent_workspace, created_at,
       seed_prompt_hash, seed_prompt_path, token_estimate, context_window, seed_ack_filtered)
     VALUES (@id, @agent, @parentAgent, @parentSessionId, @parentWorkspace, @createdAt, @seedPromptHash, @seedPromptPath,
       @tokenEstimate, @contextWindow, @seedAckFiltered)`,
  )
  const remove = db.prepare<[string]>('DELETE FROM fork_seeds WHERE id = ?')
  return {
    get(id: string): ForkSeedRecord | null {
      const row = one.get(id)
      return row === undefined ? null : { ...row, seedAckFiltered: row.seedAckFiltered === 1 }
    },
    put(record: ForkSeedRecord): void {
      put.run({ ...record, seedAckFiltered: record.seedAckFiltered ? 1 : 0 })
    },
    remove(id: string): void {
      remove.run(id)
    },
  }
}
