// A running agent that offshoot started: what is asked for and what is known of it. Pure.
import type { CodeMode, CommandSpec, ForkRequest, ForkResult, SetupOutcome, TerminalChoice } from './fork.ts'
import type { Decision, PermissionPolicy, PermissionRequest, RunEvent } from './run.ts'
import type { AgentId } from './session.ts'

export type WorkerKind = 'headless' | 'terminal'

/**
 * `starting`: not yet seen ready. `waiting`: for a permission or an answer to a dialog; nothing may be sent. `resumable`: a
 * headless one whose process is not there now; it comes back with the next prompt. `stopped`: somebody stopped it. `exited`: it
 * ended by itself. `lost`: its pane or process is gone and nothing tells how it ended.
 */
export type WorkerState = 'starting' | 'running' | 'idle' | 'waiting' | 'resumable' | 'stopped' | 'exited' | 'lost'

export interface WorkerSettings {
  readonly model: string | null
  /** Set for the agent in addition to the environment: the proxy URL too. Values are never shown. */
  readonly env: Readonly<Record<string, string>>
  /** A file of MCP servers for this worker, in the format of Claude Code, or `null`. */
  readonly mcpConfig: string | null
  /** A command of the person's own instead of the agent's; run by the person's shell in the pane (WK3). Terminal kind only. */
  readonly command: string | null
  readonly policy: PermissionPolicy
  /** The policy was asked for with this worker: it beats the agent's own settings. Absent: they decide what is asked at all. */
  readonly policyGiven?: true
  /** Tools (or `Tool(prefix:*)`) of policy `allow_list`. */
  readonly allow: readonly string[]
  readonly readyTimeoutMs: number
  readonly responseTimeoutMs: number
  /** Keep a JSONL log of what was sent and answered. */
  readonly history: boolean
}

export interface Worker {
  readonly id: string
  /** Friendly and unique among those not ended that whoever named it may see; `worker:<name>` is its address. */
  readonly name: string
  readonly agent: AgentId
  readonly kind: WorkerKind
  /** From birth; `null` only where the person's own command hides it. */
  readonly sessionId: string | null
  readonly state: WorkerState
  /** What it waits for. */
  readonly permission: PermissionRequest | null
  readonly exitStatus: number | null
  readonly exitSignal: string | null
  readonly cwd: string
  readonly workspace: { readonly path: string; readonly branch: string } | null
  readonly terminal: Exclude<TerminalChoice, 'here' | 'headless' | 'none'> | null
  /** Names the pane within its terminal: `%5`. */
  readonly terminalId: string | null
  readonly pid: number | null
  readonly command: CommandSpec
  readonly settings: WorkerSettings
  /** The worker this one was forked from. */
  readonly forkedFrom: string | null
  readonly createdAt: number
  readonly endedAt: number | null
  /** The last turn was cut off: by a kill, or by the end of the process that ran it. */
  readonly turnCutOff: boolean
  /** The beginning of the last prompt it was given, redacted. */
  readonly lastInput: string | null
  /** Why its last turn failed, or what it said before it ended badly, redacted; `null` when all is well. */
  readonly error: string | null
}

/** A worker that was just spawned, with the fork it stands on where there is one. */
export interface SpawnedWorker extends Worker {
  readonly fork: ForkResult | null
  /** How its workspace differs from what was planned; absent where it does not. */
  readonly notes?: readonly string[]
  /** How its workspace was set up, where there is a command for that. */
  readonly setup?: SetupOutcome
  /** A prompt that was not to be sent and waits in no composer: whoever asked for the worker still has it to give. */
  readonly pendingPrompt: string | null
}

/** SF8: one worker to spawn. Exactly one way to begin: a new session, a resumed one, a fork of one, or the newest here. */
export interface WorkerRequest {
  readonly agent: AgentId
  readonly kind?: WorkerKind
  readonly name?: string
  /** Where it works; a workspace of its own is made there unless `workspace` is false. */
  readonly projectPath: string
  readonly prompt?: string
  /** False: the prompt is put into the composer of its pane instead, and not sent. */
  readonly send?: boolean
  /** `address` or id of the session to resume, or with `fork` to fork. */
  readonly resume?: string
  readonly fork?: boolean
  /** The newest session of the folder; only without `resume`. */
  readonly continue?: boolean
  readonly atTurn?: string
  /** For a fork: the code as this turn left it, instead of that of `atTurn`. */
  readonly codeAt?: string
  /** A workspace of its own (default for new sessions and forks), or in place. */
  readonly workspace?: boolean
  readonly code?: CodeMode
  readonly title?: string
  /** Name of the workspace's branch. */
  readonly branch?: string
  /** Of a new session: the remote its turns are pushed to; `null`: none. */
  readonly push?: string | null
  /** The new session's id (Claude); refused when taken. */
  readonly sessionId?: string
  /** Where it opens. Absent: as the settings say, else the terminal we are in, else headless. */
  readonly terminal?: TerminalChoice
  readonly settings?: Partial<WorkerSettings>
  /** Codes of warnings accepted, for a fork. */
  readonly accept?: readonly string[]
  /** For a fork: the plan that is executed, as it was shown. */
  readonly planId?: string
  /** For a fork: as `ForkRequest.seenAs`. */
  readonly seenAs?: ForkRequest['seenAs']
  /** For a fork: as `ForkRequest.isOpen`. */
  readonly isOpen?: ForkRequest['isOpen']
  /** Ids of workers that whoever asks may not see: their names count as free, so that nobody learns of them. */
  readonly unseenWorkers?: ReadonlySet<string>
}

export interface SendResult {
  readonly worker: Worker
  /** `confirmed`: the agent was seen to take it; `unconfirmed`: it is not known, and it was not sent twice. */
  readonly delivery: 'confirmed' | 'unconfirmed'
  /** The answer, where it was waited for. */
  readonly answer: string | null
  readonly outcome: 'complete' | 'interrupted' | 'failed' | 'running'
  /** Of outcome `failed`: why, in the agent's own words, redacted. */
  readonly error: string | null
}

/** How one may wait for a turn, or not. */
export interface SendOptions {
  /** False: until the agent has taken it. */
  readonly wait?: boolean
  /** Gives up waiting; the turn goes on. */
  readonly signal?: AbortSignal
  /** How long the answer is waited for; default: as the worker's settings say. */
  readonly timeoutMs?: number
  /**
   * What becomes of the turn of a headless worker that this process runs when the time is over. `interrupt` is for a caller that
   * ends then, and the turn with it. Default: it goes on.
   */
  readonly atTimeout?: 'leave' | 'interrupt'
  readonly onEvent?: (event: RunEvent) => void
}

export interface SendToSessionOptions extends SendOptions {
  /** For this turn and those after it; `null`: what the agent chooses. Absent: as it is. */
  readonly model?: string | null
}

/** Another process that runs headless workers and does for us what only it can: the server of this home. */
export interface WorkerHolder {
  /** What the worker waits for. */
  permission(id: string): Promise<PermissionRequest | null>
  send(id: string, prompt: string, options: SendOptions): Promise<Omit<SendResult, 'worker'>>
  interrupt(id: string): Promise<void>
  answer(id: string, requestId: string, decision: Decision): Promise<void>
  stop(id: string): Promise<void>
}

/** A fork that goes on in another agent is planned as the fork of a worker is, but it is not one: it has none of its settings. */
export interface ForkWorkerPlanRequest extends ForkWorkerRequest {
  readonly to?: AgentId
}

export interface ForkWorkerRequest {
  /** The new worker's name; refused when taken. */
  readonly name?: string
  /** As `WorkerRequest.unseenWorkers`. */
  readonly unseenWorkers?: ReadonlySet<string>
  /** The new session's id (Claude); refused when taken. */
  readonly sessionId?: string
  /** False: the working directory of the source. Default: a workspace of its own, where it works in a git repository. */
  readonly workspace?: boolean
  /** What the workspace holds. Default: the code of `atTurn` or `before`, without one the code as it is now. */
  readonly code?: CodeMode
  readonly codeAt?: string
  /** As `ForkRequest.isOpen`. */
  readonly isOpen?: ForkRequest['isOpen']
  readonly branch?: string
  readonly title?: string
  readonly strategy?: ForkRequest['strategy']
  readonly allowCut?: boolean
  readonly atTurn?: string
  /** Ends just before this turn; its prompt waits. */
  readonly before?: string
  /** Put into the composer of its pane, unless `send` is given. */
  readonly prompt?: string
  readonly send?: boolean
  readonly terminal?: TerminalChoice
  /** Codes of warnings accepted, besides those that asking for the fork implies. */
  readonly accept?: readonly string[]
  /** A plan that was shown: just that is done. Only `accept`, `name` and `terminal` can be given with it. */
  readonly planId?: string
}
