// Which rows of a session a cut keeps, and the row the child goes on from.
import type { Cut } from '../../model/fork.ts'
import { isAside } from './chain.ts'
import { liveChain } from './leaf.ts'
import type { LineIndex } from './line-index.ts'
import { noRow } from './row.ts'
import { branchUpTo } from './up-to.ts'

export interface KeptRows {
  readonly rows: ReadonlySet<number>
  readonly leaf: number
}

/** Parallel calls and their results come whole, though only one of them is on the chain. */
export function keepRows(index: LineIndex, cut: Exclude<Cut, { kind: 'start' }>): KeptRows {
  const live = liveChain(index)
  const chain = cut.kind === 'tip' ? live : branchUpTo(index, live, toUpTo(cut))
  const rows = new Set(chain)
  for (const number of new Set(chain.map((at) => index.rows.group(at)))) {
    const group = index.groups.get(number)
    for (const other of group?.rows ?? []) rows.add(other)
    for (const other of group?.results ?? []) rows.add(other)
  }
  return { rows, leaf: leafOf(index, chain) }
}

function toUpTo(cut: Exclude<Cut, { kind: 'start' | 'tip' }>) {
  return cut.kind === 'turn' ? { turnId: cut.turnId } : { messageId: cut.messageId }
}

/** The CLI goes on from the result it wrote last; what it hung below (hook context, durations) follows by itself. */
function leafOf(index: LineIndex, chain: readonly number[]): number {
  const last = chain.findLast((at) => !isAside(index.rows.kind(at))) ?? chain.at(-1) ?? noRow
  if (index.rows.kind(last) !== 'assistant') return last
  const group = index.groups.get(index.rows.group(last))
  return Math.max(last, ...(group?.rows ?? []), ...(group?.results ?? []))
}
