// Turns in which an agent can do nothing but answer: no tools, no MCP servers, no hooks, whatever the user's settings allow.
import type { AgentEnv } from './agent-env.ts'

export interface SeedRequest {
  /** The file that holds the prompt: it never stands on a command line. */
  readonly promptPath: string
  /** Asked for; an agent that chooses ids itself gives its own in the answer. */
  readonly sessionId: string
  /** Where the session is to be resumed. */
  readonly cwd: string
  /** Where the agent's process may run: `cwd` itself, or an empty folder where the source works in `cwd`. */
  readonly runIn: string
  readonly title: string
  /** `null`: the agent's default. */
  readonly model: string | null
  /** What the prompt asks for as its only answer. */
  readonly acknowledgement: string
  /** Called before a folder is made that was not there: it goes with the session, once it is empty. */
  onCreate(folder: string): void
}

export interface SeededSession {
  readonly sessionId: string
  readonly path: string
}

export interface AgentInert {
  /**
   * A session that begins with the prompt and its acknowledgement, and is for the rest like a fresh one: the next turns have the
   * user's own tools, permissions and hooks. Throws where anything but one plain answer came; the caller removes the session.
   */
  seed(env: AgentEnv, request: SeedRequest): Promise<SeededSession>
}
