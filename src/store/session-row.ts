// A row of the sessions table turned into the shape the catalogue works with.
import type { AgentId, ForkKind, ParentLink } from '../model/session.ts'
import type { SessionRecord, StoredSession } from './sessions.ts'

export interface SessionRow {
  key: number
  agent: AgentId
  path: string
  id: string
  bytes: number
  modifiedAt: number
  inode: number
  olderPaths: string
  bornAt: number | null
  state: SessionRecord['state']
  title: string
  titleFrom: SessionRecord['titleFrom']
  cwd: string | null
  branch: string | null
  model: string | null
  cliVersion: string | null
  createdAt: number | null
  updatedAt: number | null
  inputTokens: number
  cachedInputTokens: number
  outputTokens: number
  recordedParent: string | null
  inheritedTurns: number
  copied: number
  broken: string | null
  turns: number
  messages: number
  repoId: string | null
  repoRoot: string | null
  revision: number
  linked: number
  ownTurns: number
  ownMessages: number
  ownInputTokens: number
  ownCachedInputTokens: number
  ownOutputTokens: number
  parentAgent: AgentId | null
  parentSessionId: string | null
  parentTurnId: string | null
  parentTurnNumber: number | null
  parentMessageId: string | null
  parentKind: ForkKind | null
}

export const selectColumns = `s.key, s.agent, s.path, s.id, s.bytes, s.modified_at AS modifiedAt, s.inode,
  s.older_paths AS olderPaths, s.born_at AS bornAt, s.state, s.title, s.title_from AS titleFrom, s.cwd, s.branch, s.model,
  s.cli_version AS cliVersion, s.created_at AS createdAt, s.updated_at AS updatedAt, s.input_tokens AS inputTokens,
  s.cached_input_tokens AS cachedInputTokens, s.output_tokens AS outputTokens, s.recorded_parent AS recordedParent,
  s.inherited_turns AS inheritedTurns, s.copied, s.broken, s.turns, s.messages, s.repo_id AS repoId, r.root AS repoRoot,
  s.revision, s.linked, s.own_turns AS ownTurns, s.own_messages AS ownMessages, s.own_input_tokens AS ownInputTokens,
  s.own_cached_input_tokens AS ownCachedInputTokens, s.own_output_tokens AS ownOutputTokens, s.parent_agent AS parentAgent,
  s.parent_session_id AS parentSessionId, s.parent_turn_id AS parentTurnId, s.parent_turn_number AS parentTurnNumber,
  s.parent_message_id AS parentMessageId, s.parent_kind AS parentKind`

export function toStoredSession(row: SessionRow): StoredSession {
  return {
    key: row.key,
    agent: row.agent,
    path: row.path,
    id: row.id,
    bytes: row.bytes,
    modifiedAt: row.modifiedAt,
    inode: row.inode,
    olderPaths: row.olderPaths === '[]' ? [] : (JSON.parse(row.olderPaths) as string[]),
    bornAt: row.bornAt,
    state: row.state,
    title: row.title,
    titleFrom: row.titleFrom,
    cwd: row.cwd,
    branch: row.branch,
    model: row.model,
    cliVersion: row.cliVersion,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    usage: { inputTokens: row.inputTokens, cachedInputTokens: row.cachedInputTokens, outputTokens: row.outputTokens },
    recordedParent: row.recordedParent === null ? null : (JSON.parse(row.recordedParent) as ParentLink),
    inheritedTurns: row.inheritedTurns,
    copied: row.copied === 1,
    broken: row.broken,
    turns: row.turns,
    messages: row.messages,
    repoId: row.repoId,
    repoRoot: row.repoRoot,
    revision: row.revision,
    linked: row.linked === 1,
    ownTurns: row.ownTurns,
    ownMessages: row.ownMessages,
    ownUsage: {
      inputTokens: row.ownInputTokens,
      cachedInputTokens: row.ownCachedInputTokens,
      outputTokens: row.ownOutputTokens,
    },
    parent: toParent(row),
  }
}

function toParent(row: SessionRow): ParentLink | null {
  if (row.parentAgent === null || row.parentSessionId === null || row.parentKind === null) return null
  return {
    agent: row.parentAgent,
    sessionId: row.parentSessionId,
    turnId: row.parentTurnId,
    turnNumber: row.parentTurnNumber,
    messageId: row.parentMessageId,
    kind: row.parentKind,
  }
}
