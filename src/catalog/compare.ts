// What has to be done to bring the catalogue up to date: discovery compared with what is stored. Times are compared for
// equality only, so a clock that goes backwards changes nothing.
import { lstatSync } from 'node:fs'
import type { SessionFile } from '../agents/agent.ts'
import { isMissing } from '../lib/file-errors.ts'
import type { ArchivedFile } from '../store/archive.ts'
import type { StoredFile } from '../store/sessions.ts'

export type SessionState = StoredFile['state']

export interface Reading {
  readonly file: SessionFile
  readonly state: SessionState
  /** Key of the stored session to read on from; `null`: from the start. */
  readonly previousKey: number | null
}

interface Found {
  readonly file: SessionFile
  readonly state: SessionState
}

export interface Work {
  readonly readings: Reading[]
  readonly moves: { readonly key: number; readonly path: string; readonly state: SessionState }[]
  readonly states: { readonly key: number; readonly state: SessionState }[]
  readonly removals: StoredFile[]
}

export function compare(stored: readonly StoredFile[], found: readonly SessionFile[], archived: readonly ArchivedFile[]): Work {
  const work: Work = { readings: [], moves: [], states: [], removals: [] }
  const files: Found[] = [...found.map((file) => ({ file, state: stateOf(file) })), ...findGone(found, archived)]
  const unseen = new Map(stored.map((row) => [keyOf(row), row]))
  const unknown: Found[] = []
  for (const each of files) {
    const row = unseen.get(keyOf(each.file))
    if (row === undefined) unknown.push(each)
    else if (!isSameFile(row, each)) work.readings.push({ ...each, previousKey: each.state === 'gone' ? null : row.key })
    else if (row.state !== each.state) work.states.push({ key: row.key, state: each.state })
    unseen.delete(keyOf(each.file))
  }
  const missing = [...unseen.values()].filter((row) => isGone(row.path))
  const added = takeUpUnknown(work, unknown, missing)
  rereadDependants(work, stored, files, added)
  return work
}

/** A file under a new path is a session that moved, when its id is missing elsewhere; gives the ids that are really new. */
function takeUpUnknown(work: Work, unknown: readonly Found[], missing: readonly StoredFile[]): Set<string> {
  const left = new Map(missing.map((row) => [row.key, row]))
  const added = new Set<string>()
  for (const each of unknown) {
    const before = missing.find((row) => row.agent === each.file.agent && row.id === each.file.id)
    if (before !== undefined && left.has(before.key) && isSameFile(before, each)) {
      work.moves.push({ key: before.key, path: each.file.path, state: each.state })
      left.delete(before.key)
    } else {
      work.readings.push({ ...each, previousKey: null })
      if (before === undefined) added.add(each.file.id)
    }
  }
  work.removals.push(...left.values())
  return added
}

/** A fork may keep only a reference to its parent's file (Codex): what becomes readable or not with that file is read anew. */
function rereadDependants(work: Work, stored: readonly StoredFile[], files: readonly Found[], added: ReadonlySet<string>): void {
  const goneKeys = new Set(work.states.filter(({ state }) => state === 'gone').map(({ key }) => key))
  if (added.size + work.removals.length + goneKeys.size === 0) return
  const present = new Set(files.filter(({ state }) => state !== 'gone').map(({ file }) => file.id))
  const lostRows = [...work.removals, ...stored.filter((row) => goneKeys.has(row.key))]
  const lost = new Set(lostRows.map((row) => row.id).filter((id) => !present.has(id)))
  const back = new Set(added)
  const byPath = new Map(files.map((each) => [keyOf(each.file), each]))
  const reading = new Set(work.readings.map(({ file }) => keyOf(file)))
  // Down the whole lineage: a fork of a fork reads through both.
  for (let again = true; again; ) {
    again = false
    for (const row of stored) {
      const parent = row.recordedParentId
      if (parent === null || reading.has(keyOf(row))) continue
      const each = byPath.get(keyOf(row))
      if (each === undefined || each.state === 'gone') continue
      if (!lost.has(parent) && !(back.has(parent) && row.broken === 1)) continue
      work.readings.push({ ...each, previousKey: null })
      reading.add(keyOf(row))
      const side = lost.has(parent) ? lost : back
      side.add(row.id)
      again = true
    }
  }
}

/** Sessions whose file is gone but whose copy we hold: they stay listed, as they were when they were copied. */
function findGone(found: readonly SessionFile[], archived: readonly ArchivedFile[]): Found[] {
  if (archived.length === 0) return []
  const ids = new Set(found.map((file) => `${file.agent}\0${file.id}`))
  return archived
    .filter((copy) => copy.role === 'live' && !ids.has(`${copy.agent}\0${copy.sessionId}`) && isGone(copy.path))
    .map((copy) => {
      const { agent, sessionId: id, path, bytes, modifiedAt, inode } = copy
      return { file: { agent, id, path, bytes, modifiedAt, inode, archived: false, olderPaths: [] }, state: 'gone' }
    })
}

function stateOf(file: SessionFile): SessionState {
  return file.archived ? 'archived' : 'present'
}

function isSameFile(row: StoredFile, { file, state }: Found): boolean {
  if (row.bytes !== file.bytes || row.modifiedAt !== file.modifiedAt || row.inode !== file.inode) return false
  if (state === 'gone') return true
  return row.olderPaths === (file.olderPaths.length === 0 ? '[]' : JSON.stringify(file.olderPaths))
}

/** A folder that cannot be looked into right now hides its sessions; that is no reason to forget them. */
export function isGone(path: string): boolean {
  try {
    lstatSync(path)
    return false
  } catch (error) {
    return isMissing(error)
  }
}

function keyOf({ agent, path }: { readonly agent: string; readonly path: string }): string {
  return `${agent}\0${path}`
}
