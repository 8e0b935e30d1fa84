// What a scenario is: it makes a real session and says what must be true of it, independently of any reader.
import type { TurnState } from '../../../../src/model/session.ts'
import type { CodexVersion } from '../../lib/agents.ts'
import type { Planned } from '../../lib/matrix.ts'
import type { CodexHome } from '../home.ts'

export interface ExpectedTurn {
  /** First prompt of the turn; empty for a turn without one. */
  readonly prompt: string
  /** Absent: `complete`. `running`: its process was killed, so that its file alone does not tell; `interrupted` once resumed. */
  readonly state?: TurnState
  readonly afterCompaction?: boolean
  /** Where the CLI told us. */
  readonly id?: string
}

export interface Made {
  /** The session that is read and then resumed. */
  readonly threadId: string
  /** The live chain, inherited turns included. */
  readonly turns: readonly ExpectedTurn[]
  /** Prompts of turns that were rewound away. */
  readonly deadTurns?: readonly ExpectedTurn[]
  readonly parent?: { readonly threadId: string; readonly turnId: string | null; readonly inherited: number }
  /** The CLI itself must refuse to resume it; our reader must say so in a clear word and still not throw. */
  readonly broken?: boolean
  readonly archived?: boolean
  /** Only part of what the parent said is in the inherited turns. */
  readonly copiesPart?: boolean
  /** False where the CLI's own list of turns contradicts what it sends to the model. */
  readonly listed?: boolean
  /** Leading turns the CLI's own list leaves out. */
  readonly unlisted?: number
  /** Runs before the session is resumed, e.g. to take it out of the archive. */
  readonly beforeResume?: () => Promise<void>
  /** Where it is resumed; else in the work folder. */
  readonly resumeIn?: string
  /** Which version resumes it; else the one that made it. */
  readonly resumeWith?: CodexVersion
}

export interface Scenario extends Planned<CodexVersion> {
  readonly make: (home: CodexHome) => Promise<Made>
}
