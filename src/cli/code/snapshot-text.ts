// What was captured of a turn, in a few words: `+3 -1  src/auth/handler.ts, ...`.

import { cleanLine } from '../../lib/text/clean.ts'
import type { Turn } from '../../model/session.ts'
import type { Colors } from '../output.ts'

const shownFiles = 5

/** `+3 -1`; empty where there is no code to speak of. */
export function changeText({ snapshot }: Turn): string {
  return snapshot == null || snapshot.tree === null || snapshot.files.length === 0
    ? ''
    : `+${snapshot.added} -${snapshot.removed}`
}

export function paintChange(text: string, { green, red }: Colors): string {
  return text.replace(/\+\d+/, (added) => green(added)).replace(/-\d+/, (removed) => red(removed))
}

/** Which files, or plainly why there are none. */
export function filesText({ snapshot }: Turn): string {
  if (snapshot == null) return '[not captured]'
  if (snapshot.tree === null) return '[no repository]'
  if (snapshot.changesUnknown === true) return '[start not captured]'
  if (snapshot.files.length === 0) return 'no changes'
  const more = snapshot.files.length - shownFiles
  return `${snapshot.files.slice(0, shownFiles).map(cleanLine).join(', ')}${more > 0 ? `, ... (${more} more)` : ''}`
}

/** What makes a snapshot less than the code at that very moment. */
export function doubts({ snapshot }: Turn): string[] {
  if (snapshot == null) return []
  return [
    ...(snapshot.by === 'late' ? ['[captured late]'] : []),
    ...(snapshot.shared != null && snapshot.shared.files.length > 0 ? [`[${snapshot.shared.files.length} shared]`] : []),
    ...(snapshot.notCovered.length > 0 ? [`[${snapshot.notCovered.length} not covered]`] : []),
  ]
}

/** Nobody who never captured anything wants to read so on every line. */
export function anyCaptured(turns: readonly Turn[]): boolean {
  return turns.some(({ snapshot }) => snapshot != null)
}
