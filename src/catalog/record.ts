// Between an agent's summary and the store's rows, both ways.
import { statSync } from 'node:fs'
import type { SessionFile } from '../agents/agent.ts'
import type { SessionSummary } from '../agents/reading.ts'
import { readSeedSource } from '../model/seed-source.ts'
import type { Turn } from '../model/session.ts'
import type { SessionRecord } from '../store/sessions.ts'
import type { Store } from '../store/store.ts'
import type { Reading } from './compare.ts'

/** That of no file: the next refresh takes the session for changed and reads it again. */
const noInode = -1

export interface Read {
  readonly reading: Reading
  readonly summary: SessionSummary
  /** Revision of the stored session the agent read on from; `null` when it read from the start. */
  readonly previousRevision: number | null
  readonly repoId: Promise<string | null>
  readonly folders: Promise<SessionRecord['folders']>
  /** Folders whose repository could not be looked at; complete once `repoId` and `folders` are there. */
  readonly unseen: readonly string[]
}

/** Must run inside a transaction: a session, its turns and its reading state belong together. */
export function storeSession(
  store: Store,
  { reading, summary, previousRevision }: Pick<Read, 'reading' | 'summary' | 'previousRevision'>,
  { repoId, folders }: Pick<SessionRecord, 'repoId' | 'folders'>,
): void {
  const isUnsure = summary.isUnsure === true
  const record = { ...toRecord(reading, summary), repoId, folders }
  const { key, revision } = store.sessions.put(isUnsure ? { ...record, inode: noInode } : record)
  const turns = [...summary.turns, ...summary.deadTurns]
  // Only what follows the first difference is written, unless another process wrote this session meanwhile.
  const from = previousRevision !== null && revision === previousRevision + 1 ? firstDifference(store.turns.of(key), turns) : 0
  store.turns.replace(key, turns, from)
  store.skipped.replace(key, summary.skipped)
  store.sessions.setReadingState(key, { mark: summary.mark, resume: isUnsure ? null : summary.resume })
}

function toRecord({ file, state }: Reading, summary: SessionSummary): Omit<SessionRecord, 'repoId' | 'folders'> {
  return {
    agent: file.agent,
    path: file.path,
    // The file's name, not what stands in it: that is what the agent goes by when it resumes.
    id: file.id,
    bytes: file.bytes,
    modifiedAt: file.modifiedAt,
    inode: file.inode,
    olderPaths: file.olderPaths,
    builtOn: summary.builtOn ?? [],
    bornAt: bornAt(file),
    state,
    title: summary.title,
    titleFrom: summary.titleFrom,
    cwd: summary.cwd,
    branch: summary.branch,
    model: summary.model,
    cliVersion: summary.cliVersion,
    createdAt: summary.createdAt,
    updatedAt: summary.updatedAt,
    usage: summary.usage,
    // What no agent records: a session that begins with a seed of ours names its source.
    recordedParent: summary.parent ?? readSeedSource(summary.turns[0]?.prompt ?? ''),
    inheritedTurns: summary.inheritedTurns,
    copied: summary.copied,
    broken: summary.broken,
    turns: summary.turns.length,
    messages: summary.messages,
    contextWindow: summary.contextWindow ?? null,
  }
}

/**
 * The folders of its start and its turns, where they are not all its own; nearly always none. A turn without one belongs to the
 * session's.
 */
export function foldersOf({ cwd, begunIn = null, turns, deadTurns }: SessionSummary): readonly Omit<StoredFolder, 'repoId'>[] {
  const folders = new Set<string>()
  for (const turn of [...turns, ...deadTurns]) if ((turn.cwd ?? cwd) !== null) folders.add(turn.cwd ?? cwd ?? '')
  if (begunIn !== null) folders.add(begunIn)
  if (folders.size === 0 || (folders.size === 1 && cwd !== null && folders.has(cwd))) return []
  return [...folders].map((folder) => (folder === begunIn ? { cwd: folder, isStart: true } : { cwd: folder }))
}

type StoredFolder = SessionRecord['folders'][number]

function bornAt(file: SessionFile): number | null {
  const born = statSync(file.path, { throwIfNoEntry: false })?.birthtimeMs
  return born === undefined || born <= 0 ? null : born
}

function firstDifference(before: readonly Turn[], after: readonly Turn[]): number {
  let position = 0
  while (position < before.length && position < after.length && isSameTurn(before[position], after[position])) position += 1
  return position
}

function isSameTurn(a: Turn | undefined, b: Turn | undefined): boolean {
  if (a === undefined || b === undefined) return false
  const names = [
    'number',
    'id',
    'prompt',
    'startedAt',
    'endedAt',
    'messages',
    'lastMessageId',
    'state',
    'afterCompaction',
    'contextTokens',
    'cwd',
  ] as const
  if (names.some((name) => a[name] !== b[name])) return false
  const counts = ['inputTokens', 'cachedInputTokens', 'outputTokens'] as const
  return counts.every((name) => a.usage?.[name] === b.usage?.[name])
}

export interface Previous {
  readonly summary: SessionSummary
  readonly revision: number
}

/** The summary as the agent gave it, so that it can read on from where it stopped. */
export function loadPrevious(store: Store, key: number): Previous | null {
  return store.read(() => assemblePrevious(store, key))
}

function assemblePrevious(store: Store, key: number): Previous | null {
  const row = store.sessions.get(key)
  const reading = store.sessions.readingState(key)
  if (row === null || reading === null) return null
  const turns = store.turns.of(key)
  const summary: SessionSummary = {
    id: row.id,
    title: row.title,
    titleFrom: row.titleFrom,
    cwd: row.cwd,
    branch: row.branch,
    model: row.model,
    cliVersion: row.cliVersion,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    usage: row.usage,
    contextWindow: row.contextWindow,
    parent: row.recordedParent,
    inheritedTurns: row.inheritedTurns,
    copied: row.copied,
    messages: row.messages,
    turns: turns.slice(0, row.turns),
    deadTurns: turns.slice(row.turns),
    broken: row.broken,
    builtOn: row.builtOn,
    skipped: store.skipped.of(key),
    mark: reading.mark,
    resume: reading.resume,
  }
  return { summary, revision: row.revision }
}
