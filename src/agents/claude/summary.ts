// What the catalogue keeps of a session, from pass 1 alone; when a file only grew, from its new lines and what was kept.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { markFile, stillHolds } from '../../lib/file-mark.ts'
import { isObject, type ScanEnd } from '../../lib/jsonl.ts'
import type { ParentLink, Turn, Usage } from '../../model/session.ts'
import type { SessionFile, SessionSummary } from '../agent.ts'
import { ancestryOf, deadTurns } from './dead-turns.ts'
import { indexFile, LineIndex } from './line-index.ts'
import { fitsBelow, keepState, noPast, type Past, restoreIndex } from './resume.ts'
import { noRow } from './row.ts'
import { sideFolder } from './subagents.ts'
import { chainTo, endsInPreserved, linkRows, liveLeaf } from './tree.ts'
import { finishTurn, outline } from './turns.ts'

const titleLength = 80

export async function summariseSession(file: SessionFile, previous?: SessionSummary): Promise<SessionSummary> {
  const appended = previous && (await readOn(file, previous))
  if (appended) return appended
  const index = new LineIndex()
  const end = await indexFile(index, file.path)
  linkRows(index)
  return summaryOf(file, index, chainTo(index, liveLeaf(index)), end)
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
  const chain = chainTo(index, liveLeaf(index))
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
  return {
    id: file.id,
    ...titleOf(file, index, turns, past),
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
      preserved: endsInPreserved(index),
      absentLeaf: leafUuid !== null && !index.rows.byUuid.has(leafUuid) ? leafUuid : null,
      titleLeaf: oldTitleOf(index, past) === null ? null : (facts.oldTitle?.leafUuid ?? null),
    }
  }
}

/** What is torn or dangling now may be whole or found later: then the file is read from the start. */
function canReadOn({ skipped, checkpoint }: LineIndex, lastPrompt: number): boolean {
  return lastPrompt !== noRow && !checkpoint.cleared && skipped.torn === undefined && skipped.dangling === undefined
}

/** Claude --fork-session copies lines as they are: they are older than the first thing the new file did itself. */
function copiedBefore({ facts: { openedAt, firstMessageAt } }: LineIndex): number | null {
  return openedAt !== null && firstMessageAt !== null && firstMessageAt < openedAt ? openedAt : null
}

/** 2.1.325 also gives all copied prompts one prompt id. */
function isCopied(index: LineIndex): boolean {
  return index.facts.samePromptId || copiedBefore(index) !== null
}

function isInherited(index: LineIndex, at: number): boolean {
  const before = copiedBefore(index)
  const time = index.rows.time(at)
  return index.rows.origin(at) !== null || (before !== null && time !== null && time < before)
}

function createdAt(index: LineIndex, hasParent: boolean): number | null {
  const { firstAt, firstOwnAt, lastAt } = index.facts
  if (hasParent) return firstOwnAt ?? lastAt
  return copiedBefore(index) ?? firstAt
}

function addUsage(past: Usage, index: LineIndex, counts: (at: number) => boolean): Usage {
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

function titleOf(
  file: SessionFile,
  index: LineIndex,
  turns: readonly Turn[],
  past: Past,
): Pick<SessionSummary, 'title' | 'titleFrom'> {
  const custom = index.facts.customTitle || sideTitle(file)
  if (custom) return { title: custom, titleFrom: 'custom' }
  const ai = index.facts.aiTitle || oldTitleOf(index, past)
  if (ai) return { title: ai, titleFrom: 'ai' }
  const prompt = turns[0]?.prompt.trim().replace(/\s+/g, ' ') ?? ''
  const title = prompt.length > titleLength ? `${prompt.slice(0, titleLength - 1)}…` : prompt
  return { title, titleFrom: title === '' ? 'none' : 'prompt' }
}

function oldTitleOf({ facts: { oldTitle }, rows }: LineIndex, past: Past): string | null {
  if (oldTitle === null) return null
  return oldTitle.leafUuid === past.titleLeaf || rows.byUuid.has(oldTitle.leafUuid) ? oldTitle.text : null
}

/** `/rename` also writes the title beside the session; only this is left when the lines were compacted away. */
function sideTitle(file: SessionFile): string | null {
  try {
    const value: unknown = JSON.parse(readFileSync(join(sideFolder(file), 'custom-title.json'), 'utf8'))
    return isObject(value) && typeof value.customTitle === 'string' ? value.customTitle : null
  } catch {
    return null // not renamed
  }
}

function parentOf(index: LineIndex, inherited: readonly number[], inheritedTurns: number): ParentLink | null {
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
