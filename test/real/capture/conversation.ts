// What a fork's model was sent with the next prompt, held against the prefix of its parent: the same oracle as for forks.
import { codex } from '../../../src/agents/codex/index.ts'
import type { ReadOptions } from '../../../src/agents/reading.ts'
import type { CommandSpec } from '../../../src/model/fork.ts'
import type { AgentId } from '../../../src/model/session.ts'
import { codexRules, fromReader, historyBefore } from '../codex/received.ts'
import { discover, historyDiff, requestFor, seen } from '../fork/claude-forks.ts'
import { compareHistory } from '../lib/history.ts'
import type { RunResult } from '../lib/processes.ts'
import type { CaptureBench } from './bench.ts'
import { askOnce } from './talker.ts'

export interface Parent {
  readonly agent: AgentId
  readonly sessionId: string
  /** What a person said there. */
  readonly prompts: readonly string[]
}

export interface Child {
  readonly sessionId: string
  readonly command: CommandSpec
}

/** Sends one prompt in the child; a readable difference, empty when its model saw just the parent up to this turn. */
export async function askedDifference(
  bench: CaptureBench,
  parent: Parent,
  turnId: string | null,
  child: Child,
  prompt: string,
): Promise<string> {
  const done = await askChild(bench, parent.agent, child, prompt)
  if (done.code !== 0) throw new Error(`the child ended with ${done.code}\n${done.stdout}\n${done.stderr}`)
  return parent.agent === 'claude'
    ? claudeDifference(bench, parent, turnId, prompt)
    : codexDifference(bench, parent, turnId, child.sessionId, prompt)
}

/** By the words of the fork's own command, without its terminal. */
async function askChild(bench: CaptureBench, agent: AgentId, child: Child, prompt: string): Promise<RunResult> {
  const { argv, cwd } = child.command
  if (agent === 'codex') return (await askOnce(bench, agent, prompt, child.sessionId, cwd)).done
  const end = argv.indexOf('--')
  return bench.claude.claude.tryPrint(prompt, { flags: argv.slice(1, end === -1 ? argv.length : end), cwd })
}

async function claudeDifference(
  { claude }: CaptureBench,
  parent: Parent,
  turnId: string | null,
  prompt: string,
): Promise<string> {
  const expected = turnId === null ? [] : await seen(claude, discover(claude, parent.sessionId), { upTo: { turnId } })
  return historyDiff(expected, requestFor(claude, prompt), prompt)
}

async function codexDifference(
  { codex: home }: CaptureBench,
  parent: Parent,
  turnId: string | null,
  childId: string,
  prompt: string,
): Promise<string> {
  const env = home.sandbox.agentEnv
  const file = [...codex.discover(env)].find(({ id }) => id === parent.sessionId)
  if (file === undefined) throw new Error(`our reader does not find ${parent.sessionId}`)
  const options: ReadOptions = { view: 'context', ...(turnId === null ? {} : { upTo: { turnId } }) }
  const expected = turnId === null ? [] : await fromReader(codex.read(file, env, options))
  const request = home.api.requestsOf(childId).find(({ input }) => JSON.stringify(input.at(-1)).includes(prompt))
  if (request === undefined) throw new Error(`the model was never asked "${prompt}"`)
  return compareHistory(expected, historyBefore(request.input, new Set(parent.prompts)), codexRules).diff
}
