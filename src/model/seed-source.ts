// How a seed names itself and the session it was made of: its first lines, by which the child is known again when all that is left
// is its own file. Pure.
import { type AgentId, agentIds, type ParentLink } from './session.ts'

export function seedMarker(forkId: string): string {
  return `[OFFSHOOT_FORK_SEED ${forkId}]`
}

type Source = Pick<ParentLink, 'agent' | 'sessionId' | 'turnId' | 'turnNumber' | 'messageId'>

/** Attributes of the element that holds the transcript. Turn 0: nothing of the source was kept. */
export function seedAttributes({ agent, sessionId, turnId, turnNumber, messageId }: Source): string {
  const turn = turnId ?? (turnNumber === 0 ? '0' : null)
  const names = { source: `${agent}:${sessionId}`, turn, message: messageId }
  return Object.entries(names)
    .filter(([, value]) => value !== null && /^[\w.:-]+$/.test(value))
    .map(([name, value]) => ` ${name}="${value}"`)
    .join('')
}

const head =
  /^\[OFFSHOOT_FORK_SEED \w+\]\n[^\n]*\n\n<offshoot-transcript source="(\w+):([\w.-]+)"(?: turn="([\w.:-]+)")?(?: message="([\w.:-]+)")?>/

/** `null` where the text is not a seed, or one that does not name its source. */
export function readSeedSource(prompt: string): ParentLink | null {
  const [, name, sessionId, turn, messageId = null] = head.exec(prompt) ?? []
  const agent = agentIds.find((id): id is AgentId => id === name)
  if (agent === undefined || sessionId === undefined) return null
  const isStart = turn === '0'
  return { agent, sessionId, turnId: isStart ? null : (turn ?? null), turnNumber: isStart ? 0 : null, messageId, kind: 'seed' }
}
