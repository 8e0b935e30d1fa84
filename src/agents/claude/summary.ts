// What the catalogue keeps of a session, from pass 1 alone.
import { markFile } from '../../lib/file-mark.ts'
import type { ParentLink, Turn } from '../../model/session.ts'
import type { SessionFile, SessionSummary } from '../agent.ts'
import { deadTurns } from './dead-turns.ts'
import { indexFile, LineIndex } from './line-index.ts'
import { chainTo, linkRows, liveLeaf } from './tree.ts'
import { finishTurn, outline } from './turns.ts'

const titleLength = 80

export async function summariseSession(file: SessionFile, _previous?: SessionSummary): Promise<SessionSummary> {
  const index = new LineIndex()
  const end = await indexFile(index, file.path)
  linkRows(index)
  const { facts } = index
  const chain = chainTo(index, liveLeaf(index))
  const { turns: drafts, messages } = outline(index, chain)
  const turns = drafts.map((draft, i) => finishTurn(draft, i + 1, i === drafts.length - 1))
  const usage = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 }
  for (let i = 0; i < index.groups.count; i += 1) {
    const group = index.groups.get(i)
    if (group === undefined || group.rows.some((at) => index.rows.origin(at) !== null)) continue
    usage.inputTokens += group.inputTokens
    usage.cachedInputTokens += group.cachedInputTokens
    usage.outputTokens += group.outputTokens
  }
  const inherited = chain.filter((at) => index.rows.origin(at) !== null)
  const inheritedTurns = inherited.filter((at) => index.rows.kind(at) === 'prompt').length
  return {
    id: file.id,
    ...titleOf(index, turns),
    cwd: facts.cwd,
    branch: facts.branch,
    model: facts.model,
    cliVersion: facts.cliVersion,
    createdAt: facts.firstAt,
    updatedAt: facts.lastAt,
    usage,
    parent: parentOf(index, inherited, inheritedTurns),
    inheritedTurns,
    copied: facts.samePromptId || isOlderThanFile(facts),
    messages,
    turns,
    deadTurns: deadTurns(index, chain),
    broken: null,
    skipped: index.skipped,
    mark: markFile(file.path, end.offset),
    resume: null,
  }
}

function isOlderThanFile({ openedAt, firstMessageAt }: LineIndex['facts']): boolean {
  return openedAt !== null && firstMessageAt !== null && firstMessageAt < openedAt
}

function titleOf({ facts, rows }: LineIndex, turns: readonly Turn[]): Pick<SessionSummary, 'title' | 'titleFrom'> {
  if (facts.customTitle) return { title: facts.customTitle, titleFrom: 'custom' }
  const ai = facts.aiTitle ?? (facts.oldTitle && rows.byUuid.has(facts.oldTitle.leafUuid) ? facts.oldTitle.text : null)
  if (ai) return { title: ai, titleFrom: 'ai' }
  const prompt = turns[0]?.prompt.trim().replace(/\s+/g, ' ') ?? ''
  const title = prompt.length > titleLength ? `${prompt.slice(0, titleLength - 1)}…` : prompt
  return { title, titleFrom: title === '' ? 'none' : 'prompt' }
}

function parentOf(index: LineIndex, inherited: readonly number[], inheritedTurns: number): ParentLink | null {
  const rows = inherited.map((at) => index.rows.get(at)).filter((row) => row !== undefined)
  const last = rows.at(-1)?.origin
  if (!last) return null
  const turn = rows.findLast((row) => row.kind === 'prompt')
  const message = rows.findLast((row) => row.messages > 0 || row.kind === 'assistant')
  return {
    agent: 'claude',
    sessionId: last.sessionId,
    turnId: turn?.origin?.messageUuid ?? null,
    turnNumber: inheritedTurns || null,
    messageId: message?.origin?.messageUuid ?? null,
    kind: 'branch',
  }
}
