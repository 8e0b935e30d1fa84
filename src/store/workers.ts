// The agents offshoot runs, and where to find each of them again. Values of their environment are not kept here: they may be
// secrets and stand in a file of their own.
import type { CommandSpec } from '../model/fork.ts'
import type { AgentId } from '../model/session.ts'
import type { Worker, WorkerKind, WorkerSettings, WorkerState } from '../model/worker.ts'
import type { Database } from './open.ts'

/** The process that holds a headless worker. Process numbers are used again, so the time it started belongs to it. */
export interface WorkerOwner {
  readonly pid: number
  /** As the system tells it; `-` where it does not. */
  readonly startedAt: string
  readonly host: string
  /** Which app of that process. */
  readonly instance: string
}

export interface WorkerRecord {
  readonly id: string
  readonly name: string
  readonly agent: AgentId
  readonly kind: WorkerKind
  readonly sessionId: string | null
  /** As last seen by whoever ran or looked at it. */
  readonly state: WorkerState
  readonly cwd: string
  readonly workspace: Worker['workspace']
  readonly terminal: Worker['terminal']
  /** How its session is opened where the agent has made no file of it yet. JSON. */
  readonly begin: unknown
  /** What the terminal needs to find the pane. JSON. */
  readonly pane: unknown
  readonly pid: number | null
  readonly command: CommandSpec
  /** `env` holds names only. */
  readonly settings: Omit<WorkerSettings, 'env'> & { readonly env: readonly string[] }
  readonly owner: WorkerOwner | null
  readonly forkedFrom: string | null
  readonly createdAt: number
  readonly endedAt: number | null
  readonly exitStatus: number | null
  readonly exitSignal: string | null
  readonly turnCutOff: boolean
}

type Json = 'workspace' | 'begin' | 'pane' | 'command' | 'settings' | 'owner'
type Row = Omit<WorkerRecord, Json | 'turnCutOff'> & Record<Json, string> & { readonly turnCutOff: number }

const columns = `id, name, agent, kind, session_id AS sessionId, state, cwd, workspace, terminal, begin, pane, pid, command, settings,
  owner,  forked_from AS forkedFrom, created_at AS createdAt, ended_at AS endedAt, exit_status AS exitStatus, exit_signal AS exitSignal,
  turn_cut_off AS turnCutOff`

export function createWorkerTable(db: Database) {
  const all = db.prepare<[], Row>(`SELECT ${columns} FROM workers ORDER BY created_at DESC, id`)
  const open = db.prepare<[], Row>(`SELECT ${columns} FROM workers WHERE ended_at IS NULL ORDER BY created_at DESC, id`)
  const one = db.prepare<[string], Row>(`SELECT ${columns} FROM workers WHERE id = ?`)
  const put = db.prepare(
    `INSERT OR REPLACE INTO workers (id, name, agent, kind, session_id, state, cwd, workspace, terminal, begin, pane, pid, command,
       settings, owner, forked_from, created_at, ended_at, exit_status, exit_signal, turn_cut_off)
     VALUES (@id, @name, @agent, @kind, @sessionId, @state, @cwd, @workspace, @terminal, @begin, @pane, @pid, @command,
       @settings, @owner, @forkedFrom, @createdAt, @endedAt, @exitStatus, @exitSignal, @turnCutOff)`,
  )
  const remove = db.prepare<[string]>('DELETE FROM workers WHERE id = ?')
  return {
    /** Newest first. */
    all: (): WorkerRecord[] => all.all().map(toRecord),
    /** Those that have not ended, newest first. */
    open: (): WorkerRecord[] => open.all().map(toRecord),
    get(id: string): WorkerRecord | null {
      const row = one.get(id)
      return row === undefined ? null : toRecord(row)
    },
    put(record: WorkerRecord): void {
      put.run(toRow(record))
    },
    remove(id: string): void {
      remove.run(id)
    },
  }
}

function toRecord(row: Row): WorkerRecord {
  return {
    ...row,
    workspace: JSON.parse(row.workspace) as WorkerRecord['workspace'],
    begin: JSON.parse(row.begin) as unknown,
    pane: JSON.parse(row.pane) as unknown,
    command: JSON.parse(row.command) as CommandSpec,
    settings: JSON.parse(row.settings) as WorkerRecord['settings'],
    owner: JSON.parse(row.owner) as WorkerOwner | null,
    turnCutOff: row.turnCutOff === 1,
  }
}

function toRow(record: WorkerRecord): Row {
  return {
    ...record,
    workspace: JSON.stringify(record.workspace),
    begin: JSON.stringify(record.begin ?? null),
    pane: JSON.stringify(record.pane ?? null),
    command: JSON.stringify(record.command),
    settings: JSON.stringify(record.settings),
    owner: JSON.stringify(record.owner),
    turnCutOff: record.turnCutOff ? 1 : 0,
  }
}
