// The title of a session: the person's own, else the model's, else the first prompt.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isObject } from '../../lib/jsonl.ts'
import type { Turn } from '../../model/session.ts'
import type { SessionFile } from '../agent.ts'
import type { SessionSummary } from '../reading.ts'
import type { LineIndex } from './line-index.ts'
import type { Past } from './resume.ts'
import { sideFolder } from './side-files.ts'

const titleLength = 80

export function titleOf(
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

export function oldTitleOf({ facts: { oldTitle }, rows }: LineIndex, past: Past): string | null {
  if (oldTitle === null) return null
  return oldTitle.leafUuid === past.titleLeaf || rows.byUuid.has(oldTitle.leafUuid) ? oldTitle.text : null
}

/** `/rename` also writes the title beside the session; only this is left when the lines were compacted away. */
function sideTitle(file: SessionFile): string | null {
  const path = join(sideFolder(file), 'custom-title.json')
  if (!existsSync(path)) return null // asked first: an error costs 50 µs more, and nearly every session would make one
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'))
    return isObject(value) && typeof value.customTitle === 'string' ? value.customTitle : null
  } catch {
    return null // being written
  }
}
