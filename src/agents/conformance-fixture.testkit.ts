// What an agent brings to the suite, and the sessions as the suite's parts read them.
import type { AgentEnv } from './agent-env.ts'
import type { Entry, ReadOptions, SessionSummary } from './reading.ts'

export interface ConformanceSample {
  readonly name: string
  readonly content: Buffer
  /** Writes a session file with this content where the agent looks for it, and all it builds on; returns its path. */
  place(home: string, content: Buffer): string
}

export interface ConformanceFixture {
  env(home: string): AgentEnv
  readonly samples: readonly ConformanceSample[]
  /** A straight session of a few kilobytes: it is cut at every byte. */
  readonly small: ConformanceSample
}

/** Session files in the home of this run, by their paths. */
export interface ConformanceSessions {
  place(sample: ConformanceSample): string
  summarise(path: string, previous?: SessionSummary): Promise<SessionSummary>
  read(path: string, options?: ReadOptions): Promise<Entry[]>
}

export const junkLines = [
  '{',
  'null',
  '[]',
  '42',
  '"text"',
  '{}',
  '{"type":"offshoot_unknown","payload":{}}',
  '\u2028',
  '}{',
  '\u0000',
]

export function linesOf(content: Buffer): Buffer[] {
  const lines: Buffer[] = []
  for (let start = 0; start < content.length; ) {
    const newline = content.indexOf(0x0a, start)
    const end = newline === -1 ? content.length : newline + 1
    lines.push(content.subarray(start, end))
    start = end
  }
  return lines
}
