// What a session has from its parent: told by `forkedFrom` on the lines, or by lines older than the file's own first act.
import type { ParentLink, Usage } from '../../model/session.ts'
import type { LineIndex } from './line-index.ts'

/** Claude --fork-session copies lines as they are: they are older than the first thing the new file did itself. */
function copiedBefore({ facts: { openedAt, firstMessageAt } }: LineIndex): number | null {
  return openedAt !== null && firstMessageAt !== null && firstMessageAt < openedAt ? openedAt : null
}

/** 2.1.325 also gives all copied prompts one prompt id. */
export function isCopied(index: LineIndex): boolean {
  return index.facts.samePromptId || copiedBefore(index) !== null
}

export function isInherited(index: LineIndex, at: number): boolean {
  const before = copiedBefore(index)
  const time = index.rows.time(at)
  return index.rows.origin(at) !== null || (before !== null && time !== null && time < before)
}

export function createdAt(index: LineIndex, hasParent: boolean): number | null {
  const { firstAt, firstOwnAt, lastAt } = index.facts
  if (hasParent) return firstOwnAt ?? lastAt
  return copiedBefore(index) ?? firstAt
}

export function parentOf(index: LineIndex, inherited: readonly number[], inheritedTurns: number): ParentLink | null {
  const rows = inherited.map((at) => index.rows.get(at)).filter((row) => row !== undefined)
  const last = rows.findLast((row) => row.origin !== null)?.origin
  if (!last) return null
  const turn = rows.findLast((row) => row.kind === 'prompt' && row.origin !== null)
  const message = rows.findLast((row) => (row.messages > 0 || row.kind === 'assistant') && row.origin !== null)
  return {
    agent: 'claude',
    sessionId: last.sessionId,
    turnId: turn?.origin?.messageUuid ?? null,
    turnNumber: inheritedTurns || null,
    messageId: message?.origin?.messageUuid ?? null,
    kind: 'branch',
  }
}

/** Adds the tokens of the messages that count and are not inherited. */
export function addUsage(past: Usage, index: LineIndex, counts: (at: number) => boolean): Usage {
  const usage = { ...past }
  for (let i = 0; i < index.groups.count; i += 1) {
    const group = index.groups.get(i)
    const first = group?.rows[0]
    if (group === undefined || first === undefined || !counts(first) || isInherited(index, first)) continue
    usage.inputTokens += group.inputTokens
    usage.cachedInputTokens += group.cachedInputTokens
    usage.outputTokens += group.outputTokens
  }
  return usage
}
