// Nearly all sessions are never written to again: the agent's notes for reading on are kept of recent ones only.
import type { SessionFile } from '../agents/agent.ts'
import type { SessionSummary } from '../agents/reading.ts'

const restingMs = 3 * 86_400_000

/** To be called before the notes are sent between threads or looked through: they are most of a summary. */
export function dropOldNotes(summary: SessionSummary, { modifiedAt }: SessionFile, now: number): SessionSummary {
  const isDropped = summary.resume !== null && modifiedAt < now - restingMs
  return isDropped ? { ...summary, resume: null } : summary
}
