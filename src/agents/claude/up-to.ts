// The branch that ends with a given turn or message, on the live chain or on a dead one.
import { AppError } from '../../model/error.ts'
import type { ReadOptions } from '../reading.ts'
import { chainTo, climb, completeChain } from './chain.ts'
import { ancestryOf, turnEnds } from './dead-turns.ts'
import type { LineIndex } from './line-index.ts'
import { noRow } from './row.ts'

type UpTo = NonNullable<ReadOptions['upTo']>

export function branchUpTo(index: LineIndex, live: readonly number[], upTo: UpTo): number[] {
  return 'turnId' in upTo ? branchOfTurn(index, live, upTo.turnId) : branchOfMessage(index, upTo.messageId)
}

function branchOfTurn(index: LineIndex, live: readonly number[], turnId: string): number[] {
  const prompt = index.rows.byUuid.get(turnId)
  if (prompt === undefined || index.rows.kind(prompt) !== 'prompt') {
    throw new AppError('turn_not_found', `No turn ${turnId} in this session.`)
  }
  const start = live.indexOf(prompt)
  if (start === -1) return beforeCompaction(index, chainTo(index, turnEnds(ancestryOf(index)).get(prompt) ?? prompt), prompt)
  const next = live.findIndex((at, i) => i > start && index.rows.kind(at) === 'prompt')
  return next === -1 ? [...live] : beforeCompaction(index, live.slice(0, next), prompt)
}

/**
 * A turn ends with its last answer, or with what the user ran after it with `!`: a compaction that follows is not part of what the model had
 * seen by then.
 */
function beforeCompaction(index: LineIndex, branch: readonly number[], prompt: number): number[] {
  const last = branch.findLastIndex((at) => isAnswer(index, at) || index.rows.sign(at) === 'command')
  const from = Math.max(last, branch.indexOf(prompt))
  const boundary = branch.findIndex((at, i) => i > from && index.rows.kind(at) === 'boundary')
  return boundary === -1 ? [...branch] : branch.slice(0, boundary)
}

/** What the CLI made up itself ("No response requested.") answers nothing. */
function isAnswer({ rows, groups }: LineIndex, at: number): boolean {
  return rows.kind(at) === 'assistant' && groups.get(rows.group(at))?.synthetic === false
}

/** A message in the middle of parallel calls brings all of them with their results. */
function branchOfMessage(index: LineIndex, messageId: string): number[] {
  const at = index.wantedRow === noRow ? index.rows.byUuid.get(messageId) : index.wantedRow
  if (at === undefined) throw new AppError('message_not_found', `No message ${messageId} in this session.`)
  return completeChain(index, climb(index, at).reverse())
}
