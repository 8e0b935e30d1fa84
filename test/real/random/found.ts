// Shrunk scripts of disagreements that the driver has found, each fixed since. They are run again with the whole matrix.
import type { AgentName } from './drive.ts'

export interface Found {
  readonly agent: AgentName
  readonly script: string
  /** What must be true. */
  readonly fact: string
}

export const found: readonly Found[] = [
  {
    agent: 'codex-0.166.0',
    script: 'begin-tool kill plain plain begin-answer fork',
    fact: 'an earlier turn that was cut off is forked while another one runs',
  },
]
