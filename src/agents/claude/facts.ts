// What a session's lines tell about it besides its messages. JSON-able, so that reading can go on from it.
import type { LineFields } from './line-fields.ts'
import type { Row } from './row.ts'

export interface Facts {
  customTitle: string | null
  aiTitle: string | null
  /** `summary` lines of older versions: a title, but often of another session; only trusted when the leaf is in the file. */
  oldTitle: { readonly text: string; readonly leafUuid: string } | null
  cwd: string | null
  branch: string | null
  cliVersion: string | null
  model: string | null
  firstAt: number | null
  /** Of lines that are not marked as copied. */
  firstOwnAt: number | null
  lastAt: number | null
  /** When the file's own process began, if it said so before the first message. */
  openedAt: number | null
  /** Something was said since then. */
  goneOn: boolean
  firstMessageAt: number | null
  promptId: string | null
  /** Two prompts in a row share a prompt id. */
  samePromptId: boolean
  /** What another agent of the team asked for first, and who was asked. */
  request: { readonly text: string; readonly agentName: string | null; readonly teamName: string | null } | null
}

export function blankFacts(): Facts {
  return {
    customTitle: null,
    aiTitle: null,
    oldTitle: null,
    cwd: null,
    branch: null,
    cliVersion: null,
    model: null,
    firstAt: null,
    firstOwnAt: null,
    lastAt: null,
    openedAt: null,
    goneOn: false,
    firstMessageAt: null,
    promptId: null,
    samePromptId: false,
    request: null,
  }
}

/** The model of messages the CLI made up itself. */
export const synthetic = '<synthetic>'

export function noteChainLine(facts: Facts, { cwd, gitBranch, version, model }: LineFields, { at, origin, kind }: Row): void {
  if (cwd) facts.cwd = cwd
  if (gitBranch !== null) facts.branch = gitBranch === '' || gitBranch === 'HEAD' ? null : gitBranch
  if (version) facts.cliVersion = version
  if (at === null) return
  if (facts.firstAt === null || at < facts.firstAt) facts.firstAt = at
  if (facts.lastAt === null || at > facts.lastAt) facts.lastAt = at
  if (origin === null && (facts.firstOwnAt === null || at < facts.firstOwnAt)) facts.firstOwnAt = at
  if (facts.firstMessageAt === null && (kind === 'prompt' || kind === 'assistant')) facts.firstMessageAt = at
  if (kind === 'prompt' || (kind === 'assistant' && model !== synthetic)) noteOpening(facts, at, kind)
}

/**
 * A prompt queued while the first one is being answered may be written before it (2.1.197). What follows then is an answer; in
 * a file that was copied it is a prompt.
 */
function noteOpening(facts: Facts, at: number, kind: 'prompt' | 'assistant'): void {
  if (facts.goneOn || facts.openedAt === null || at < facts.openedAt) return
  facts.goneOn = true
  if (kind === 'assistant') facts.openedAt = null
}

/** What another agent of a team asked for. An agent of a team says its name on each line; its leader says only the team's. */
export function noteRequest(facts: Facts, request: string, { agentName, teamName }: Record<string, unknown>): void {
  facts.request ??= { text: request, agentName: textOrNull(agentName), teamName: textOrNull(teamName) }
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}

export function noteOtherLine(facts: Facts, { type, title, leafUuid, timestamp }: LineFields): void {
  if (type === 'custom-title' && title !== null) facts.customTitle = title
  else if (type === 'ai-title' && title !== null) facts.aiTitle = title
  else if (type === 'summary' && title !== null && leafUuid) facts.oldTitle = { text: title, leafUuid }
  else if (type === 'queue-operation' && facts.firstMessageAt === null) facts.openedAt ??= timeOf(timestamp)
}

export function notePromptId(facts: Facts, promptId: unknown): void {
  if (typeof promptId !== 'string') return
  if (facts.promptId === promptId) facts.samePromptId = true
  facts.promptId = promptId
}

export function timeOf(timestamp: string | null): number | null {
  const at = timestamp === null ? Number.NaN : Date.parse(timestamp)
  return Number.isNaN(at) ? null : at
}
