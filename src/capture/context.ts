// What every part of capturing is handed: the agents, git, the store, and the catalogue (a sibling, so it comes by interface).
import type { Agent, SessionFile } from '../agents/agent.ts'
import type { AgentEnv } from '../agents/agent-env.ts'
import type { Exec } from '../lib/exec.ts'
import type { ArchiveReport, CatalogSession, RefreshReport, Repository, SessionChange, Target } from '../model/catalog.ts'
import type { RecoverReport } from '../model/fork.ts'
import type { NameOption } from '../model/option-names.ts'
import type { AgentId, Turn } from '../model/session.ts'
import type { Git } from '../snapshots/git.ts'
import type { Store } from '../store/store.ts'

export interface CaptureCatalog {
  resolve(address: string): Promise<Target>
  refresh(): Promise<RefreshReport>
  repositoryOf(folder: string): Promise<Repository | null>
  listSessions(query?: { readonly agent?: AgentId }, options?: { readonly refresh?: boolean }): Promise<readonly CatalogSession[]>
  listTurns(
    session: CatalogSession,
    options?: { readonly deadBranches?: boolean; readonly refresh?: boolean },
  ): Promise<readonly Turn[]>
  withFiles<T>(
    session: Pick<CatalogSession, 'agent' | 'id' | 'path'>,
    use: (file: SessionFile, env: AgentEnv) => Promise<T>,
  ): Promise<T>
  /** Copies these sessions, however fresh they are. */
  archive(options: {
    readonly sessions: readonly { readonly agent: AgentId; readonly sessionId: string }[]
  }): Promise<ArchiveReport>
  watch(onChange: (change: SessionChange) => void): Promise<{ close(): Promise<void> }>
}

export interface CaptureContext {
  readonly agents: readonly Agent[]
  readonly env: AgentEnv
  /** `$OFFSHOOT_HOME`. */
  readonly folder: string
  /** Where the person stands. */
  readonly cwd: string
  readonly now: () => number
  readonly exec: Exec
  readonly git: Git
  readonly store: () => Store
  readonly catalog: CaptureCatalog
  /** 0: no limit. */
  readonly maxFileBytes: () => Promise<number>
  /** Days after which snapshots go though their session is still there; 0: never. */
  readonly keepDays: () => Promise<number>
  readonly nameOption: NameOption
  /** Whether the agent's hooks are installed, for everything or for the project one stands in. */
  readonly hasHooks: (agent: AgentId) => Promise<boolean>
  /** Days after its last use during which a workspace stays; 0: its age does not protect it. */
  readonly keepWorkspaceDays: () => Promise<number>
  /** Clears up what was cut off, forks and restores alike: called before anything is written, or chosen to be undone. */
  readonly recoverFirst: () => Promise<RecoverReport>
  /** Told at each step of a restore or its undo: how a test cuts one off. */
  readonly onStep?: (moment: string) => void
}
