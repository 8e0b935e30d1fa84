// Reads some turns of a session from a part of its file: pass 1 over that part alone, further back until the turns stand in it.
import { setImmediate } from 'node:timers/promises'
import { lineStarts } from '../../lib/line-starts.ts'
import type { Turn } from '../../model/session.ts'
import type { SessionFile } from '../agent.ts'
import { type Bounds, boundsOf, fitsKnown, guessBytes } from '../read-stretch.ts'
import type { Entry, Stretch, StretchOptions } from '../reading.ts'
import { indexFile, LineIndex } from './line-index.ts'
import { linkRows } from './links.ts'
import { breakCycles } from './mend.ts'
import { chainInPart } from './part-chain.ts'
import { PromptQueue } from './queue.ts'
import { tellChain } from './read.ts'
import { finishTurn, outline } from './turns.ts'
import { ValueFetcher } from './value-at.ts'

/**
 * Lines are not written in the order of the chain: what belongs to a turn may stand before its prompt (2.1.197 writes the marks of
 * a turn's end first) or behind the next one. Never far: all of it is written within moments.
 */
const usualMarginBytes = 1 << 17
const breathBytes = 4 << 20
const compactionMark = '"compact_boundary"'
const searchedBytes = 1 << 18
/** CR and LF. */
const lineBreakBytes = 2

export async function readStretch(file: SessionFile, options: StretchOptions): Promise<Stretch | null> {
  const marginBytes = options.reach?.marginBytes ?? usualMarginBytes
  const bounds = boundsOf(file, options, marginBytes)
  if (bounds === null) return null
  const values = new ValueFetcher(file.path)
  try {
    if (values.inode !== file.inode || (!bounds.unchanged && isCompactedSince(file.bytes, values))) return null
    for (const from of lineStarts(file.path, bounds.end, guessBytes(options, bounds, marginBytes))) {
      const stretch = await readPart(file.path, { ...bounds, from, marginBytes }, values, options)
      if (stretch !== null) return stretch
      // All of it was looked at, and still it is not what is known.
      if (from === 0) return null
    }
    return null
  } finally {
    values.close()
  }
}

/**
 * A compaction may give rows far above it another place in the chain, and so the turns behind them another number than is known.
 * The line that was being written then counts as new.
 */
function isCompactedSince(knownBytes: number, values: ValueFetcher): boolean {
  const before = Math.max(0, knownBytes - searchedBytes)
  const lastBreak = values.bytesAt(before, knownBytes - before).lastIndexOf('\n')
  for (let at = before + lastBreak + 1; ; at += searchedBytes - compactionMark.length) {
    const bytes = values.bytesAt(at, searchedBytes)
    if (bytes.includes(compactionMark)) return true
    if (bytes.length < searchedBytes) return false
  }
}

async function readPart(
  path: string,
  bounds: Bounds & { readonly from: number; readonly marginBytes: number },
  values: ValueFetcher,
  options: StretchOptions,
): Promise<Stretch | null> {
  const { from, marginBytes } = bounds
  const index = new LineIndex()
  index.queue = new PromptQueue(undefined, from === 0)
  const { inode } = await indexFile(index, path, from, undefined, bounds.end)
  if (inode !== values.inode) return null
  linkRows(index, breakCycles)
  const part = chainInPart(index, options)
  if (part === null || (from > 0 && index.rows.line(part.first) - from < marginBytes)) return null
  const turns = turnsOf(index, part.chain, options)
  if (!fitsKnown(turns, options, bounds)) return null
  const entries: Entry[] = []
  let breath = values.fetchedBytes + breathBytes
  for (const entry of tellChain(index, values, part.chain, turns)) {
    if (entry.kind === 'skipped') return null // the file was changed under our hands
    entries.push(entry)
    if (values.fetchedBytes < breath) continue
    breath = values.fetchedBytes + breathBytes
    await setImmediate()
  }
  return { entries, firstEnd: index.rows.line(part.first) + index.rows.lineBytes(part.first) + lineBreakBytes }
}

function turnsOf(index: LineIndex, chain: readonly number[], { known, before }: StretchOptions): Turn[] {
  const drafts = outline(index, chain, known[0]?.afterCompaction).turns
  const firstNumber = known[0]?.number ?? 1
  return drafts.map((draft, at) => finishTurn(draft, firstNumber + at, before === undefined && at === drafts.length - 1))
}
