// What has to be done to bring the catalogue up to date: discovery compared with what is stored. Times are compared for
// equality only, so a clock that goes backwards changes nothing.
import { lstatSync } from 'node:fs'
import { basename } from 'node:path'
import type { Agent, SessionFile } from '../agents/agent.ts'
import { isMissing } from '../lib/file-errors.ts'
import type { ArchivedFile } from '../store/archive.ts'
import type { StoredFile } from '../store/sessions.ts'
import { findDependants } from './dependants.ts'

export type SessionState = StoredFile['state']

export interface Reading {
  readonly file: SessionFile
  readonly state: SessionState
  /** Key of the stored session to read on from; `null`: from the start. */
  readonly previousKey: number | null
}

export interface Found {
  readonly file: SessionFile
  readonly state: SessionState
}

export interface Work {
  readonly readings: Reading[]
  readonly moves: { readonly key: number; readonly path: string; readonly state: SessionState }[]
  readonly states: { readonly key: number; readonly state: SessionState }[]
  readonly removals: StoredFile[]
}

/** What there is, in the shape `compare` takes it. */
export interface Sources {
  readonly stored: readonly StoredFile[]
  readonly found: readonly SessionFile[]
  readonly archived: readonly ArchivedFile[]
  readonly agents: readonly Agent[]
  /** Sessions given a name since they were read, as `agent\0id`. */
  readonly renamed?: ReadonlySet<string>
}

export function compare({ stored, found, archived, agents, renamed }: Sources): Work {
  const work: Work = { readings: [], moves: [], states: [], removals: [] }
  const joining = new Map(agents.flatMap((agent) => (agent.arrangeFiles === undefined ? [] : [[agent.id, agent]])))
  const lost = findLost(found, archived, joining)
  const files = [
    ...found.map((file) => complete(file, lost.get(idOf(file)), joining.get(file.agent))),
    ...findGone(found, lost, joining),
  ]
  const isSame = (row: StoredFile, each: Found) => isSameFile(row, each) && !renamed?.has(idOf(row))
  const unseen = new Map(stored.map((row) => [keyOf(row), row]))
  const unknown: Found[] = []
  for (const each of files) {
    const row = unseen.get(keyOf(each.file))
    if (row === undefined) unknown.push(each)
    // What a session lacked because no copy could be read may be there again.
    else if (!isSame(row, each) || (row.broken === 1 && row.state === 'gone' && each.state !== 'gone'))
      work.readings.push({ ...each, previousKey: each.state === 'gone' ? null : row.key })
    else if (row.state !== each.state) work.states.push({ key: row.key, state: each.state })
    unseen.delete(keyOf(each.file))
  }
  const there = new Set(files.flatMap(({ file }) => (joining.has(file.agent) ? [idOf(file)] : [])))
  // What is found of a session is all of it where its agent joins its files, whatever else lies there.
  const missing = [...unseen.values()].filter((row) => there.has(idOf(row)) || isGone(row.path))
  takeUpUnknown(work, unknown, missing, isSame)
  work.readings.push(...findDependants(work, stored, files))
  return work
}

/** A file under a new path is a session that moved or goes on in a new file, when its id is missing elsewhere. */
function takeUpUnknown(
  work: Work,
  unknown: readonly Found[],
  missing: readonly StoredFile[],
  isSame: (row: StoredFile, each: Found) => boolean,
): void {
  const left = new Map(missing.map((row) => [row.key, row]))
  for (const each of unknown) {
    const before = [...left.values()].find((row) => idOf(row) === idOf(each.file))
    if (before === undefined) {
      work.readings.push({ ...each, previousKey: null })
      continue
    }
    left.delete(before.key)
    work.moves.push({ key: before.key, path: each.file.path, state: each.state })
    if (!isSame(before, each)) work.readings.push({ ...each, previousKey: null })
  }
  work.removals.push(...left.values())
}

/** Groups the copies of files that are gone by session. */
function findLost(
  found: readonly SessionFile[],
  archived: readonly ArchivedFile[],
  joining: ReadonlyMap<string, Agent>,
): ReadonlyMap<string, readonly ArchivedFile[]> {
  const lost = new Map<string, ArchivedFile[]>()
  if (archived.length === 0) return lost
  const there = new Map(found.map((file) => [idOf(file), file]))
  for (const copy of archived) {
    const id = idOf({ agent: copy.agent, id: copy.sessionId })
    const file = there.get(id)
    // Where an agent does not join files, a second one with the same id is a session of its own.
    const isKnown = file !== undefined && (!joining.has(copy.agent) || pathsOf(file).includes(copy.path))
    if (copy.role === 'side' || isKnown || !isGone(copy.path)) continue
    lost.set(id, [...(lost.get(id) ?? []), copy])
  }
  return lost
}

/** A session that lacks files of which we hold copies is the one that has them all, and stays so until they are put back. */
function complete(file: SessionFile, copies: readonly ArchivedFile[] = [], agent?: Agent): Found {
  const found = { file, state: stateOf(file) }
  const arrange = agent?.arrangeFiles
  if (copies.length === 0 || arrange === undefined) return found
  const there = pathsOf(file)
  // A file that its agent moved or packed is not lost: arranged with its copy, the two count as one.
  const isElsewhere = (path: string) => there.some((each) => arrange([each, path]).olderPaths.length === 0)
  const lost = newestCopies(copies).filter(({ path }) => !isElsewhere(path))
  if (lost.length === 0) return found
  const { path, olderPaths } = arrange([...there, ...lost.map((copy) => copy.path)])
  const live = lost.find((copy) => copy.path === path)
  return live === undefined ? { file: { ...file, olderPaths }, state: 'gone' } : describeCopy(live, olderPaths)
}

/** Sessions of which every file is gone but whose copies we hold: they stay listed, as they were when they were copied. */
function findGone(
  found: readonly SessionFile[],
  lost: ReadonlyMap<string, readonly ArchivedFile[]>,
  joining: ReadonlyMap<string, Agent>,
): Found[] {
  if (lost.size === 0) return []
  const ids = new Set(found.map(idOf))
  return [...lost].flatMap(([id, all]) => {
    const live = all.filter(({ role }) => role === 'live')
    if (ids.has(id) || live.length === 0) return []
    const arranged = joining.get(all[0]?.agent ?? '')?.arrangeFiles?.(newestCopies(all).map(({ path }) => path))
    const sessions = arranged === undefined ? live.map(({ path }) => ({ path, olderPaths: [] })) : [arranged]
    return sessions.flatMap(({ path, olderPaths }) => {
      const copy = all.find((each) => each.path === path)
      return copy === undefined ? [] : describeCopy(copy, olderPaths)
    })
  })
}

function describeCopy(copy: ArchivedFile, olderPaths: readonly string[]): Found {
  const { agent, sessionId: id, path, bytes, modifiedAt, inode } = copy
  return { file: { agent, id, path, bytes, modifiedAt, inode, archived: false, olderPaths }, state: 'gone' }
}

function pathsOf({ path, olderPaths }: SessionFile): string[] {
  return [path, ...olderPaths]
}

/** Of a file that its agent moved, the place it was copied from last. */
function newestCopies(copies: readonly ArchivedFile[]): ArchivedFile[] {
  const byAge = [...copies].sort((a, b) => a.archivedAt - b.archivedAt || a.modifiedAt - b.modifiedAt)
  return [...new Map(byAge.map((copy) => [basename(copy.path), copy])).values()]
}

function stateOf(file: SessionFile): SessionState {
  return file.archived ? 'archived' : 'present'
}

function isSameFile(row: StoredFile, { file }: Found): boolean {
  if (row.bytes !== file.bytes || row.modifiedAt !== file.modifiedAt || row.inode !== file.inode) return false
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

export function keyOf({ agent, path }: { readonly agent: string; readonly path: string }): string {
  return `${agent}\0${path}`
}

export function idOf({ agent, id }: { readonly agent: string; readonly id: string }): string {
  return `${agent}\0${id}`
}
