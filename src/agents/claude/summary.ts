// What the catalogue keeps of a session, from pass 1 alone; when a file only grew, from its new lines and what was kept.
import { markFile, stillHolds } from '../../lib/file-mark.ts'
import type { ScanEnd } from '../../lib/jsonl.ts'
import type { SessionFile } from '../agent.ts'
import type { SessionSummary } from '../reading.ts'
import { ancestryOf, deadTurns } from './dead-turns.ts'
import { addUsage, createdAt, isCopied, isInherited, parentOf } from './inheritance.ts'
import { isLeafSure, liveChain } from './leaf.ts'
import { indexFile, LineIndex } from './line-index.ts'
import { linkRows } from './links.ts'
import { fitsBelow, keepState, noPast, type Past, restoreIndex } from './resume.ts'
import { noRow } from './row.ts'
import { firstAnswer, oldTitleOf, titleOf } from './title.ts'
import { finishTurn, outline } from './turns.ts'

export async function summariseSession(file: SessionFile, previous?: SessionSummary): Promise<SessionSummary> {
  const appended = previous && (await readOn(file, previous))
  if (appended) return appended
  const index = new LineIndex()
  const end = await indexFile(index, file.path)
  linkRows(index)
  return summaryOf(file, index, liveChain(index), end)
}

/** `undefined` when the file has to be read from the start. */
async function readOn(file: SessionFile, previous: SessionSummary): Promise<SessionSummary | undefined> {
  const restored = restoreIndex(previous)
  if (restored === undefined || !stillHolds(file.path, previous.mark)) return undefined
  const { index, past } = restored
  const keptRows = index.rows.count
  const end = await indexFile(index, file.path, previous.mark.offset)
  if (end.inode !== previous.mark.inode || !fitsBelow(index, past, keptRows)) return undefined
  linkRows(index)
  if (!isLeafSure(index)) return undefined
  const chain = liveChain(index)
  return chain[0] === 0 ? summaryOf(file, index, chain, end, { summary: previous, past }) : undefined
}

interface Before {
  readonly summary: SessionSummary
  readonly past: Past
}

function summaryOf(file: SessionFile, index: LineIndex, chain: readonly number[], end: ScanEnd, before?: Before): SessionSummary {
  const { facts } = index
  const past = before?.past ?? noPast
  const ancestry = ancestryOf(index)
  const { turns: drafts, messages } = outline(index, chain, past.compacted)
  const added = drafts.map((draft, i) => finishTurn(draft, past.turns + i + 1, i === drafts.length - 1))
  const turns = [...(before?.summary.turns.slice(0, past.turns) ?? []), ...added]
  const copied = isCopied(index)
  const inherited = chain.filter((at) => isInherited(index, at))
  const inheritedTurns = past.inheritedTurns + inherited.filter((at) => index.rows.kind(at) === 'prompt').length
  const parent = parentOf(index, inherited, inheritedTurns) ?? past.parent
  const lastPrompt = chain.findLast((at) => index.rows.kind(at) === 'prompt') ?? noRow
  const usage = addUsage(past.usage, index, () => true)
  const answer = firstAnswer(file, index, chain, turns, past.answer)
  return {
    id: file.id,
    ...titleOf(file, index, turns, past, answer),
    cwd: facts.cwd,
    branch: facts.branch,
    model: facts.model,
    cliVersion: facts.cliVersion,
    createdAt: createdAt(index, parent !== null),
    updatedAt: facts.lastAt,
    usage,
    parent,
    inheritedTurns,
    copied,
    messages: past.messages + messages,
    turns,
    deadTurns: [...(before?.summary.deadTurns ?? []), ...deadTurns(index, chain, ancestry, past.compacted)],
    broken: null,
    skipped: index.skipped,
    mark: markFile(file.path, end.offset),
    resume: canReadOn(index, lastPrompt) ? keepState(index, ancestry, lastPrompt, pastBefore(lastPrompt)) : null,
  }

  /** Everything but the last turn, as sums. */
  function pastBefore(prompt: number): Past {
    const last = added.at(-1)
    const isOld = (at: number) => ancestry.prompt[at] !== prompt
    const { leafUuid } = index.checkpoint
    return {
      turns: turns.length - 1,
      messages: past.messages + messages - (last?.messages ?? 0),
      usage: addUsage(past.usage, index, isOld),
      inheritedTurns: past.inheritedTurns + inherited.filter((at) => isOld(at) && index.rows.kind(at) === 'prompt').length,
      parent,
      compacted: last?.afterCompaction ?? false,
      absentLeaf: leafUuid !== null && !index.rows.byUuid.has(leafUuid) ? leafUuid : null,
      titleLeaf: oldTitleOf(index, past) === null ? null : (facts.oldTitle?.leafUuid ?? null),
      answer,
    }
  }
}

/** What is torn, bridged or in a circle now may look different later: then the file is read from the start. */
function canReadOn({ skipped, checkpoint }: LineIndex, lastPrompt: number): boolean {
  return lastPrompt !== noRow && !checkpoint.cleared && !('torn' in skipped || 'bridged' in skipped || 'cycle' in skipped)
}
