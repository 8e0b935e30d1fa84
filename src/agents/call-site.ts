// Where a call of one of our tools came from, as far as the agent itself lets it be known (facts: headless-and-mcp C.6).
import type { AgentId } from '../model/session.ts'
import type { AgentEnv } from './agent-env.ts'

export interface CallSite {
  readonly agent: AgentId
  readonly sessionId: string
  /** The turn that is running; `null` where only its call is known. */
  readonly turnId: string | null
  /** Codex: the top of its work tree; Claude: its working directory. `null` where it does not say. */
  readonly cwd: string | null
}

export interface CallSearch {
  /** `_meta` of the request: from outside, so nothing in it is sure. */
  readonly meta: Readonly<Record<string, unknown>>
  readonly env: AgentEnv
  /** How long to wait for the agent to write down what it is doing. */
  readonly waitMs: number
  readonly signal?: AbortSignal
}

/** Codex says it itself; Claude names its call, which then stands in a transcript. */
export async function findCallSite(search: CallSearch): Promise<CallSite | null> {
  const { readCodexCall } = await import('./codex/call-site.ts')
  const codex = readCodexCall(search.meta)
  if (codex !== null) return codex
  const toolUseId = search.meta['claudecode/toolUseId']
  if (typeof toolUseId !== 'string') return null
  const { findClaudeCall } = await import('./claude/call-site.ts')
  return findClaudeCall(toolUseId, search)
}
