// What every part of forking is handed: the agents, git, the store, and the catalogue (a sibling, so it comes by interface).
import type { Agent, AgentEnv, Entry, ReadOptions, SessionFile } from '../agents/agent.ts'
import type { Moment, NotCovered } from '../model/capture.ts'
import type { CatalogSession, Repository, SessionQuery, Target } from '../model/catalog.ts'
import type { AgentId, Turn } from '../model/session.ts'
import type { Git } from '../snapshots/git.ts'
import type { Store } from '../store/store.ts'
import type { ModelTable } from './models.ts'

export interface ForkCatalog {
  resolve(address: string): Promise<Target>
  listSessions(query?: SessionQuery, options?: { readonly refresh?: boolean }): Promise<readonly CatalogSession[]>
  listTurns(
    session: CatalogSession,
    options?: { readonly deadBranches?: boolean; readonly refresh?: boolean },
  ): Promise<readonly Turn[]>
  readSession(session: CatalogSession, options?: ReadOptions): AsyncIterable<Entry>
  sessionFile(session: Pick<CatalogSession, 'agent' | 'path'>): SessionFile
  repositoryOf(folder: string): Promise<Repository | null>
  putBack(session: CatalogSession): Promise<readonly string[]>
}

/** The code as at a turn, and how sure that is. */
export interface CodeAtTurn {
  /**
   * `snapshot` taken at that moment; `late` after the turn had ended by itself; `reconstructed` from a commit and the
   * transcript's own edits, every one of which applied; `nearest_commit` by time only: an approximation.
   */
  readonly kind: 'snapshot' | 'late' | 'reconstructed' | 'nearest_commit'
  readonly commonDir: string
  /** Root of the work tree it was taken of. */
  readonly root: string
  /** Object of the snapshot (`snapshot`, `late`); else `null`, and the workspace is filled with the tree. */
  readonly snapshot: string | null
  /** `null` of a reconstruction that is not written yet: planning writes no objects. */
  readonly tree: string | null
  /** Of a reconstruction: names its content, so that what is written later is what was planned. */
  readonly digest?: string
  /** What the workspace's branch starts from; `null`: no commit. */
  readonly baseCommit: string | null
  readonly notCovered: readonly NotCovered[]
  /** Said in the plan. */
  readonly note: string | null
}

/** Which state of the code is meant. `turnId` null: before the first prompt (turn 0). */
export interface CodeMoment {
  readonly turnId: string | null
  readonly moment: Moment
}

/** For a turn that was never captured. */
export interface Approximation {
  /** `reconstructed` or `nearest_commit`; `null` when neither can be had. */
  readonly code: CodeAtTurn | null
  /** Why it is no better than that. */
  readonly reasons: readonly string[]
}

/** Answered by capture (a sibling, so it comes by interface). */
export interface ForkSnapshots {
  /** What was captured (`snapshot`, `late`), also of a turn inherited from another session; `null` when nothing was. Pure reading. */
  codeAt(session: CatalogSession, at: CodeMoment): Promise<CodeAtTurn | null>
  /** The next best where nothing was captured. Reads the transcript, so it is asked only when wanted. Pure reading. */
  approximate(session: CatalogSession, at: CodeMoment): Promise<Approximation>
  /** Writes the objects of a reconstruction; gives its tree. Throws `plan_stale` when it is no longer the one with this digest. */
  writeReconstruction(session: CatalogSession, at: CodeMoment, digest: string): Promise<string>
}

export interface ForkContext {
  readonly agents: readonly Agent[]
  readonly env: AgentEnv
  /** `$OFFSHOOT_HOME`. */
  readonly folder: string
  /** Where the person stands. */
  readonly cwd: string
  readonly worktreesRoot: () => Promise<string>
  readonly now: () => number
  readonly git: Git
  readonly store: () => Store
  readonly catalog: ForkCatalog
  readonly models: () => Promise<ModelTable>
  readonly snapshots: ForkSnapshots
  /** Told before and after each step of a fork or an undo: how a test cuts one off. */
  readonly onStep?: (moment: string) => void
}

export function agentOf({ agents }: Pick<ForkContext, 'agents'>, id: AgentId): Agent {
  const agent = agents.find((each) => each.id === id)
  if (agent === undefined) throw new Error(`no agent ${id}`)
  return agent
}
