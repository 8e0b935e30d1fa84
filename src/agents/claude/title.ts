// The title of a session: the user's own, else the model's, else the first prompt.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { isObject } from '../../lib/jsonl.ts'
import { completeWords, gistOf, isBareCommand, titleOfPrompt, titleWith } from '../../lib/prompt-title.ts'
import { readRegularText } from '../../lib/regular-file.ts'
import type { Turn } from '../../model/session.ts'
import type { SessionFile } from '../agent.ts'
import type { SessionSummary } from '../reading.ts'
import { textOf } from './content.ts'
import type { LineIndex } from './line-index.ts'
import type { Past } from './resume.ts'
import { sideFolder } from './side-files.ts'
import { ValueFetcher } from './value-at.ts'

type Title = Pick<SessionSummary, 'title' | 'titleFrom'>

/** `answer` is that to the first prompt, where the prompt alone makes no title. */
export function titleOf(file: SessionFile, index: LineIndex, turns: readonly Turn[], past: Past, answer: string | null): Title {
  const custom = index.facts.customTitle || sideTitle(file)
  if (custom) return { title: custom, titleFrom: 'custom' }
  const ai = index.facts.aiTitle || oldTitleOf(index, past)
  if (ai) return { title: ai, titleFrom: 'ai' }
  const prompt = turns[0]?.prompt
  if (prompt === undefined) return teammateTitle(index)
  const title = answer === null ? titleOfPrompt(prompt) : titleWith(answer, prompt)
  return { title, titleFrom: title === '' ? 'none' : 'prompt' }
}

/** A session that only other agents of a team wrote to is named after its agent and what that was asked for. */
function teammateTitle({ facts: { request } }: LineIndex): Title {
  if (request === null || request.agentName === null) return { title: '', titleFrom: 'none' }
  const { text, agentName, teamName } = request
  return { title: titleWith(text, teamName === null ? agentName : `${agentName} of team ${teamName}`), titleFrom: 'ai' }
}

const answerBytes = 1 << 16
/** More than a title takes. */
const answerLength = 200

/**
 * The beginning of the answer that ends the first turn, where its prompt is a command without arguments. Reading on, that turn
 * or a part of it is in the past: `before` is what was found then.
 */
export function firstAnswer(
  file: SessionFile,
  index: LineIndex,
  chain: readonly number[],
  turns: readonly Turn[],
  before: string | null,
): string | null {
  if (!isBareCommand(turns[0]?.prompt ?? '')) return null
  const { rows, groups } = index
  const start = chain.findIndex((at) => rows.uuid(at) === turns[0]?.id)
  if (start === -1) return before
  const next = chain.findIndex((at, i) => i > start && rows.kind(at) === 'prompt')
  for (const at of chain.slice(start, next === -1 ? undefined : next).reverse()) {
    if (rows.kind(at) !== 'assistant') continue
    const { text, synthetic, error } = groups.facts(rows.group(at))
    const answer = text && !synthetic && !error ? gistOf(readText(file.path, index, at)) : ''
    if (answer !== '') return completeWords(answer, answerLength)
  }
  return before
}

function readText(path: string, { rows }: LineIndex, at: number): string {
  const row = rows.get(at)
  if (row === undefined || row.bytes === 0 || row.bytes > answerBytes) return ''
  const values = new ValueFetcher(path)
  try {
    const blocks = values.fetch(row.offset, row.bytes)
    return textOf(Array.isArray(blocks) ? blocks.filter((block) => isObject(block) && block.type === 'text') : blocks).trim()
  } finally {
    values.close()
  }
}

export function oldTitleOf({ facts: { oldTitle }, rows }: LineIndex, past: Past): string | null {
  if (oldTitle === null) return null
  return oldTitle.leafUuid === past.titleLeaf || rows.byUuid.has(oldTitle.leafUuid) ? oldTitle.text : null
}

/** `/rename` also writes the title beside the session; only this is left when the lines were compacted away. */
function sideTitle(file: SessionFile): string | null {
  const path = join(sideFolder(file), 'custom-title.json')
  if (!existsSync(path)) return null // asked first: an error costs 50 µs more, and nearly every session would make one
  try {
    const value: unknown = JSON.parse(readRegularText(path))
    return isObject(value) && typeof value.customTitle === 'string' ? value.customTitle : null
  } catch {
    return null // being written
  }
}
