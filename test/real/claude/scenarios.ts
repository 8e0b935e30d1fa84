// The ways a real Claude Code session comes about. Each scenario makes one and says what must be read out of it.

import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TurnState } from '../../../src/model/session.ts'
import type { ClaudeVersion } from '../lib/agents.ts'
import type { Planned } from '../lib/matrix.ts'
import { waitUntil } from '../lib/wait.ts'
import type { Bench } from './bench.ts'

export interface ExpectedTurn {
  readonly prompt: string
  readonly state?: TurnState
  readonly afterCompaction?: boolean
}

export interface Made {
  readonly sessionId: string
  /** Where the session is resumed; the work folder unless told. */
  readonly resumeIn?: string
  readonly turns: readonly ExpectedTurn[]
  readonly deadTurns?: readonly string[]
  /** What the file itself records of its origin. */
  readonly parent?: { readonly sessionId: string; readonly turn: string } | null
  readonly copied?: boolean
}

export interface Scenario extends Planned<ClaudeVersion> {
  readonly make: (bench: Bench) => Promise<Made>
}

const both = ['2.1.197', '2.1.325'] as const
const turns = (...prompts: string[]): ExpectedTurn[] => prompts.map((prompt) => ({ prompt }))

async function talked(bench: Bench, prompts: readonly string[]): Promise<Made> {
  return { sessionId: await bench.talk(prompts), turns: turns(...prompts) }
}

export const scenarios: readonly Scenario[] = [
  {
    name: 'several turns',
    always: both,
    make: (bench) => talked(bench, ['hello one', 'hello two', 'hello\n\nthree  "quoted" \u2028 ünïcödé']),
  },
]
