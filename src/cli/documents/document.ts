// A session as a document, written piece by piece so that its size does not matter. One file per form.
import type { Entry } from '../../agents/reading.ts'
import type { CatalogSession } from '../../model/catalog.ts'
import type { Turn } from '../../model/session.ts'

export interface DocumentHead {
  readonly session: CatalogSession
  /** Set when the document is one turn (or one message) of the session. */
  readonly turn: Turn | null
  /** Every turn of the document, for a table of contents; empty where none is wanted. */
  readonly turns: readonly Turn[]
}

export interface DocumentWriter {
  begin(head: DocumentHead): string
  entry(entry: Entry): string
  end(): string
}

/** The texts that stand for roles other than the person and the agent; the same words in every form. */
export const roleLabels = {
  user: 'User',
  assistant: 'Assistant',
  tool: 'Tool',
  system: 'System',
  error: 'Error',
  summary: 'Summary',
} as const

export const compactionNote = 'Compacted here: from this point the agent worked from a summary of what stands above.'

export function turnTitle(turn: Turn): string {
  const name = turn.number === null ? `Turn ${turn.id} (dead branch)` : `Turn ${turn.number}`
  return turn.state === 'complete' ? name : `${name} (${turn.state})`
}

export function firstLine(text: string): string {
  return (
    text
      .trimStart()
      .split(/[\r\n\u2028\u2029]/, 1)[0]
      ?.trimEnd() ?? ''
  )
}
