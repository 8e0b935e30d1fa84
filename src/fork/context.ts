// What every part of forking is handed: the agents, git, the store, and the catalogue (a sibling, so it comes by interface).
import type { Agent, SessionFile } from '../agents/agent.ts'
import type { AgentEnv } from '../agents/agent-env.ts'
import type { Entry, ReadOptions } from '../agents/reading.ts'
import type { RepositorySettings } from '../config/repositories.ts'
import type { Approximation, CodeAtTurn, CodeMoment, IsOpen } from '../model/capture.ts'
import type { CatalogSession, Repository, SessionQuery, Target } from '../model/catalog.ts'
import type { Fork, RecoverReport } from '../model/fork.ts'
import type { NameOption } from '../model/option-names.ts'
import type { Turn } from '../model/session.ts'
import type { Git } from '../snapshots/git.ts'
import type { ArchivedFile } from '../store/archive.ts'
import type { Store } from '../store/store.ts'
import type { ModelTable } from './models.ts'
import type { PlanMemory } from './planned.ts'

export interface MissingFile {
  readonly path: string
  readonly sessionId: string
  readonly role: ArchivedFile['role']
  readonly bytes: number
}

export interface ForkCatalog {
  resolve(address: string): Promise<Target>
  listSessions(query?: SessionQuery, options?: { readonly refresh?: boolean }): Promise<readonly CatalogSession[]>
  listTurns(
    session: CatalogSession,
    options?: { readonly deadBranches?: boolean; readonly refresh?: boolean },
  ): Promise<readonly Turn[]>
  readSession(session: CatalogSession, options?: ReadOptions): AsyncIterable<Entry>
  sessionFile(session: Pick<CatalogSession, 'agent' | 'id' | 'path'>): SessionFile
  repositoryOf(folder: string): Promise<Repository | null>
  withFiles<T>(session: CatalogSession, use: (file: SessionFile, env: AgentEnv) => Promise<T>): Promise<T>
  /** Returns the files that are gone, that the archive has and that the agent needs to open the session. */
  listMissing(session: CatalogSession): Promise<readonly MissingFile[]>
  putBackMissing(session: CatalogSession): Promise<readonly string[]>
}

/** Answered by capture (a sibling, so it comes by interface). */
export interface ForkSnapshots {
  /** What was captured (`snapshot`, `late`), also of a turn inherited from another session; `null` when nothing was. Pure reading. */
  codeAt(session: CatalogSession, at: CodeMoment, isOpen?: IsOpen): Promise<CodeAtTurn | null>
  /** The next best where nothing was captured. Reads the transcript, so it is asked only when wanted. Pure reading. */
  approximate(session: CatalogSession, at: CodeMoment, isOpen?: IsOpen): Promise<Approximation>
  /** The turns, each with what was captured of it. */
  withSnapshots(session: CatalogSession, turns: readonly Turn[]): Promise<readonly Turn[]>
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
  /** What the user's own configuration says of repositories, by path. */
  readonly repositories?: () => Promise<RepositorySettings>
  /** Whether the settings say that branches of workspaces are pushed. */
  readonly pushes?: () => Promise<boolean>
  /** What a seed may cost without being accepted; 0: anything. */
  readonly maxPrice?: () => Promise<number>
  /** Flags with which one run of the agent in a workspace is captured; none where its hooks are installed. */
  readonly hookFlags?: (agent: Agent, root: string) => Promise<readonly string[]>
  readonly nameOption: NameOption
  readonly plans: PlanMemory
  /** Clears up what was cut off, forks and restores alike: called before anything is written, or chosen to be undone. */
  readonly recoverFirst: () => Promise<RecoverReport>
  /** Told of each fork that was made. */
  readonly onForked?: (fork: Fork) => void
  /** Told before and after each step of a fork or an undo: how a test cuts one off. */
  readonly onStep?: (moment: string) => void
}
