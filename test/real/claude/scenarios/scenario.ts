// What a scenario is: a way in which a real Claude Code session comes about, and what must be read out of it.
import type { TurnState } from '../../../../src/model/session.ts'
import type { ClaudeVersion } from '../../lib/agents.ts'
import type { Planned } from '../../lib/matrix.ts'
import type { SandboxOptions } from '../../lib/sandbox.ts'
import { waitUntil } from '../../lib/wait.ts'
import type { Bench } from '../bench.ts'

export interface ExpectedTurn {
  readonly prompt: string
  readonly state?: TurnState
  readonly afterCompaction?: boolean
  /** The prompt never reached the model. */
  readonly withheld?: boolean
}

export interface Made {
  readonly sessionId: string
  /** Where the session is resumed; the work folder unless told. */
  readonly resumeIn?: string
  readonly turns: readonly ExpectedTurn[]
  readonly deadTurns?: readonly string[]
  /** All that the user said, in order, where that is more than the prompts. */
  readonly said?: readonly string[]
  /** The parent, where the file records it (/branch). */
  readonly parentId?: string
  /** How many of the leading turns came from the parent. */
  readonly inheritedTurns?: number
  /** A copy that names no parent. */
  readonly copied?: boolean
}

export interface Scenario extends Planned<ClaudeVersion> {
  readonly sandbox?: SandboxOptions
  /** The file must account for every token the model charged this session: not so for forks, subagents and lost answers. */
  readonly countsUsage?: boolean
  readonly make: (bench: Bench) => Promise<Made>
}

export const both = ['2.1.197', '2.1.325'] as const
export const older = ['2.1.197'] as const
export const newer = ['2.1.325'] as const

export function turns(...prompts: string[]): ExpectedTurn[] {
  return prompts.map((prompt) => ({ prompt }))
}

/** Prompts in print mode, all of them answered. */
export async function talked(bench: Bench, ...prompts: string[]): Promise<Made> {
  return { sessionId: await bench.talk(prompts), turns: turns(...prompts) }
}

/** Waits until the transcript holds a line like this. */
export function waitForLine(
  bench: Bench,
  sessionId: string,
  what: string,
  matches: (line: string) => boolean,
): Promise<Record<string, unknown>> {
  return waitUntil(`${what} in the transcript`, () => bench.lines(sessionId).find((line) => matches(JSON.stringify(line))), {
    describe: () => JSON.stringify(bench.lines(sessionId).map(({ type }) => type)),
  })
}

/** The uuid of the last line of the answer to this prompt: where a session can be cut. */
export function answerTo(bench: Bench, sessionId: string, prompt: string): string {
  const lines = bench.lines(sessionId)
  const answer = lines.find(
    (line) => line.type === 'assistant' && JSON.stringify(line.message).includes(JSON.stringify(`Answer to: ${prompt}`)),
  )
  if (typeof answer?.uuid !== 'string') throw new Error(`no answer to "${prompt}" in ${sessionId}`)
  return answer.uuid
}
