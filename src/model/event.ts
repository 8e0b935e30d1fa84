// What happens, as every face hears of it (SSE, TUI, MCP). Ids are contiguous within one log. Pure.
import type { SessionChange } from './catalog.ts'
import type { PermissionRequest, PermissionVerdict, RunEvent, RunOutcome } from './run.ts'
import type { AgentId } from './session.ts'
import type { Worker } from './worker.ts'

/** Where something happens: decides who may hear of it. */
interface Of {
  readonly agent: AgentId
  readonly sessionId: string | null
  readonly cwd: string
  readonly workerId: string | null
}

export type EventBody =
  | { readonly type: 'session.updated'; readonly data: SessionChange & { readonly cwd: string | null } }
  | { readonly type: 'turn.started'; readonly data: Of & { readonly turnId: string | null; readonly prompt: string | null } }
  | {
      readonly type: 'turn.completed'
      readonly data: Of & {
        readonly turnId: string | null
        readonly prompt: string | null
        readonly outcome: RunOutcome
        /** Of outcome `failed`: why, in the agent's own words. */
        readonly error: string | null
      }
    }
  /** `event`: text, thinking, message, tool_call, tool_output, tool_result, usage, notice. */
  | { readonly type: 'message.delta'; readonly data: Of & { readonly event: RunEvent } }
  | { readonly type: 'permission.requested'; readonly data: Of & { readonly request: PermissionRequest } }
  | {
      readonly type: 'permission.resolved'
      readonly data: Of & { readonly requestId: string; readonly verdict: PermissionVerdict | null }
    }
  | { readonly type: 'worker.created'; readonly data: Of & { readonly worker: Worker; readonly persistent: boolean } }
  | { readonly type: 'worker.ready'; readonly data: Of }
  | {
      readonly type: 'worker.exited'
      readonly data: Of & {
        readonly status: number | null
        readonly signal: string | null
        /** Somebody stopped it. */
        readonly stopped: boolean
        /** What it said last, where it ended badly. */
        readonly error: string | null
      }
    }
  | { readonly type: 'fork.created'; readonly data: Of & { readonly forkId: string; readonly parentSessionId: string } }
  | { readonly type: 'capture.done'; readonly data: Of & { readonly turnId: string; readonly number: number | null } }
  | {
      readonly type: 'index.progress'
      readonly data: { readonly files: number; readonly filesDone: number; readonly bytes: number; readonly bytesDone: number }
    }

export type AppEvent = EventBody & { readonly id: number; readonly at: number }
