// Turns on branches the session no longer follows: rewound, or overtaken by another process. They stay addressable by id.
import type { Turn } from '../../model/session.ts'
import { rowAbove } from './chain.ts'
import type { LineIndex } from './line-index.ts'
import { noRow } from './row.ts'
import { finishTurn, outline } from './turns.ts'

/** For every row but queued ones the prompt it belongs to, and whether a compaction stands above it; each is looked at once. */
export interface Ancestry {
  readonly prompt: Int32Array
  readonly compacted: Uint8Array
}

const unknown = -3

export function ancestryOf({ rows }: LineIndex): Ancestry {
  const prompt = new Int32Array(rows.count).fill(unknown)
  const compacted = new Uint8Array(rows.count)
  const path: number[] = []
  for (let row = 0; row < rows.count; row += 1) {
    let at = row
    while (at >= 0 && prompt[at] === unknown) {
      path.push(at)
      at = rows.parent(at)
    }
    let above = at
    for (let below = path.pop(); below !== undefined; below = path.pop()) {
      const kind = rows.kind(below)
      prompt[below] = kind === 'prompt' ? below : kind === 'queued' || above < 0 ? noRow : (prompt[above] ?? noRow)
      compacted[below] = kind === 'boundary' || (above >= 0 && compacted[above] === 1) ? 1 : 0
      above = below
    }
  }
  return { prompt, compacted }
}

/** The newest row of each turn in file order: where a dead turn ends. */
export function turnEnds({ prompt }: Ancestry): Map<number, number> {
  const ends = new Map<number, number>()
  for (const [at, own] of prompt.entries()) if (own >= 0) ends.set(own, Math.max(at, ends.get(own) ?? at))
  return ends
}

export function deadTurns(index: LineIndex, live: readonly number[], ancestry: Ancestry, compacted: boolean): Turn[] {
  const alive = new Set(live)
  const dead: Turn[] = []
  for (const [prompt, end] of [...turnEnds(ancestry)].sort(([a], [b]) => a - b)) {
    if (alive.has(prompt)) continue
    const path = [end]
    for (let at = end; at !== prompt && at >= 0; ) {
      at = rowAbove(index, at)
      path.push(at)
    }
    const [draft] = outline(index, path.reverse(), compacted || ancestry.compacted[prompt] === 1).turns
    if (draft) dead.push(finishTurn(draft, null, false))
  }
  return dead
}
