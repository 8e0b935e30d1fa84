// How complete the index is, in words.
import { count } from '../../lib/text/count.ts'
import type { IndexState } from '../../model/search.ts'

/** For `offshoot index`: what there is. */
export function describeIndex({
  sessions,
  indexedSessions,
  turns,
  chunks,
  model,
  embedded,
  complete,
  running,
}: IndexState): string[] {
  const state = complete ? 'complete' : running ? 'being brought up to date now' : 'not up to date'
  return [
    `${indexedSessions} of ${count(sessions, 'session')} searchable, ${state}`,
    `${count(turns, 'turn')} in ${count(chunks, 'piece')}, ${Math.floor(embedded * 100)} % with a vector (${model})`,
  ]
}

/** Below an answer; `null` where there is nothing to add. */
export function describeGaps({ sessions, indexedSessions, complete, running }: IndexState): string | null {
  if (complete) return null
  const rest = running ? 'the rest is being indexed in the background' : '`offshoot index` brings in the rest'
  if (indexedSessions < sessions) return `Searched ${indexedSessions} of ${sessions} sessions, the newest; ${rest}.`
  return `The newest changes are not searched yet; ${rest}.`
}
