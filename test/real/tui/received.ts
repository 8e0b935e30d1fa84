// What the model API received in a session, held against what stood in a session before: message by message, tool calls and all, by
// the oracle and the rules that forks are proved with.
import { codex } from '../../../src/agents/codex/index.ts'
import type { ReadOptions } from '../../../src/agents/reading.ts'
import type { AgentId } from '../../../src/model/session.ts'
import { codexRules, fromReader, historyBefore } from '../codex/received.ts'
import { discover, historyDiff, requestFor, seen } from '../fork/claude-forks.ts'
import { compareHistory, type SeenItem } from '../lib/history.ts'
import type { WorkerBench } from '../workers/worker-bench.ts'

/** What the model of this session has seen, as our reader has it; up to a turn, or all. */
export async function seenIn(bench: WorkerBench, agent: AgentId, sessionId: string, turn?: number): Promise<SeenItem[]> {
  const { session, turn: found } = await bench.app.resolve(turn === undefined ? sessionId : `${sessionId}@${turn}`)
  const options: ReadOptions = turn === undefined || found === null ? {} : { upTo: { turnId: found.id } }
  if (agent === 'claude') return seen(bench.claude, discover(bench.claude, sessionId), options)
  const env = { home: bench.claude.sandbox.home, vars: bench.vars }
  const file = [...codex.discover(env)].find(({ id }) => id === session.id)
  if (file === undefined) throw new Error(`our reader does not find ${sessionId}`)
  return fromReader(codex.read(file, env, { view: 'context', ...options }))
}

/** Empty where this session's model was sent exactly `expected`, then the prompt. */
export function receivedDiff(
  bench: WorkerBench,
  agent: AgentId,
  sessionId: string,
  prompt: string,
  expected: readonly SeenItem[],
): string {
  if (agent === 'claude') {
    const request = requestFor(bench.claude, prompt)
    if (request.sessionId !== sessionId) throw new Error(`${prompt} was said in ${request.sessionId}, not in ${sessionId}`)
    return historyDiff(expected, request, prompt)
  }
  const request = bench.codex.api.requestsOf(sessionId).find(({ input }) => JSON.stringify(input.at(-1)).includes(prompt))
  if (request === undefined) throw new Error(`${prompt} was not said in ${sessionId}`)
  const prompts = new Set(expected.flatMap(({ role, text }) => (role === 'user' ? [text] : [])))
  return compareHistory(expected, historyBefore(request.input, prompts), codexRules).diff
}
