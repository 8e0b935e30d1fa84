// What a snapshot says of itself, read with plain checks: a ref may be a stranger's (a mirrored clone), and its ids become
// parts of paths and refs. Anything that does not fit makes the whole snapshot unknown.
import { isObject } from '../lib/jsonl.ts'
import type { CapturedBy, Moment, NotCovered, SnapshotMeta } from '../model/capture.ts'
import { agentIds } from '../model/session.ts'
import { isSafeId } from './snapshot.ts'

const moments: readonly Moment[] = ['start', 'end']
const ways: readonly CapturedBy[] = ['hook', 'late', 'watcher']
const reasons: readonly NotCovered['reason'][] = [
  'too_large',
  'unreadable',
  'submodule_changes',
  'embedded_repository',
  'special_file',
  'filter_failed',
]

export function parseMeta(text: string): SnapshotMeta | null {
  const value = parseJson(text)
  if (!isObject(value) || value.version !== 1) return null
  const agent = agentIds.find((id) => id === value.agent)
  const moment = moments.find((each) => each === value.moment)
  const by = ways.find((each) => each === value.by)
  const { sessionId, turnKey, prompt, root } = value
  if (agent === undefined || moment === undefined || by === undefined) return null
  if (!isText(sessionId) || !isText(turnKey) || !isText(prompt) || !isText(root)) return null
  if (!isSafeId(sessionId) || !isSafeId(turnKey) || !root.startsWith('/')) return null
  const notCovered = parseNotCovered(value.notCovered)
  const objects = [value.head, value.startTree, value.commit]
  if (notCovered === null || !objects.every((id) => id === null || isObjectId(id))) return null
  return {
    version: 1,
    agent,
    sessionId,
    moment,
    turnKey,
    turnId: textOrNull(value.turnId),
    turnNumber: numberOrNull(value.turnNumber),
    prompt,
    by,
    startedAt: numberOrNull(value.startedAt),
    endedAt: numberOrNull(value.endedAt),
    head: textOrNull(value.head),
    branch: textOrNull(value.branch),
    root,
    startTree: textOrNull(value.startTree),
    commit: textOrNull(value.commit),
    notCovered,
  }
}

function parseNotCovered(value: unknown): NotCovered[] | null {
  if (!Array.isArray(value)) return null
  const list: NotCovered[] = []
  for (const each of value) {
    const reason = isObject(each) ? reasons.find((known) => known === each.reason) : undefined
    if (!isObject(each) || !isText(each.path) || reason === undefined) return null
    list.push({ path: each.path, reason })
  }
  return list
}

/** `null` for what is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function isObjectId(value: unknown): boolean {
  return isText(value) && /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(value)
}

function textOrNull(value: unknown): string | null {
  return isText(value) ? value : null
}

function numberOrNull(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null
}
