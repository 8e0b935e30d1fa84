// What the hook leaves for the app to take into its table: one small file per capture in `captures/pending/`. No database on
// the hook's path; the ref is the truth, and a file that is lost here is found again by a rebuild.
import { randomBytes } from 'node:crypto'
import { readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isMissing } from '../lib/file-errors.ts'
import { isObject } from '../lib/jsonl.ts'
import { makeFolder } from '../lib/make-folder.ts'
import { isBehindLink } from '../lib/own-folder.ts'
import { readRegularText } from '../lib/regular-file.ts'
import type { SnapshotMeta } from '../model/capture.ts'
import { parseMeta } from '../snapshots/parse-meta.ts'
import { capturesFolder } from './session-state.ts'

export interface Pending {
  readonly version: 1
  readonly meta: SnapshotMeta
  /** `null` outside of git: the turn is known, its code is not. */
  readonly kept: { readonly commonDir: string; readonly ref: string; readonly id: string; readonly tree: string } | null
  /** Where the transcript lay. */
  readonly transcriptPath: string | null
  /** The workspace it was taken in, and the remote its branch goes to. */
  readonly workspace: { readonly id: string; readonly push: string | null } | null
}

export interface PendingFile {
  readonly path: string
  readonly pending: Pending
}

const pendingFolder = (folder: string) => join(capturesFolder(folder), 'pending')

/** Files that could not be understood are set aside here, for `doctor` to tell of. */
export const garbageFolder = (folder: string): string => join(capturesFolder(folder), 'not-understood')

/** Named so that they sort by time; written beside and renamed, so that half a file is never taken up. */
export function writePending(folder: string, now: number, pending: Pending): void {
  const name = `${String(now).padStart(15, '0')}-${process.pid}-${randomBytes(4).toString('hex')}`
  const path = join(pendingFolder(folder), name)
  makeFolder(pendingFolder(folder))
  writeFileSync(`${path}.part`, JSON.stringify(pending), { mode: 0o600 })
  renameSync(`${path}.part`, `${path}.json`)
}

/** Oldest first. What is not a pending capture is set aside. */
export function readPending(folder: string): PendingFile[] {
  return listNotes(folder)
    .sort()
    .flatMap((name) => {
      const path = join(pendingFolder(folder), name)
      const text = readIfThere(path)
      if (text === null) return [] // taken by another process
      const pending = parsePending(text)
      if (pending !== null) return [{ path, pending }]
      setAside(folder, path, name)
      return []
    })
}

export function countPending(folder: string): number {
  return listNotes(folder).length
}

/** Behind a link, a file that is not named as ours are belongs to somebody else. */
function listNotes(folder: string): string[] {
  const path = pendingFolder(folder)
  const pattern = isBehindLink(folder, path) ? /^\d{15}-\d+-[\da-f]{8}\.json$/ : /\.json$/
  return listNames(path).filter((name) => pattern.test(name))
}

export function listGarbage(folder: string): string[] {
  return listNames(garbageFolder(folder))
}

export function removePending({ path }: PendingFile): void {
  rmSync(path, { force: true })
}

function setAside(folder: string, path: string, name: string): void {
  makeFolder(garbageFolder(folder))
  try {
    renameSync(path, join(garbageFolder(folder), name))
  } catch (error) {
    if (!isMissing(error)) throw error
  }
}

function parsePending(text: string): Pending | null {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
  if (!isObject(value) || value.version !== 1) return null
  const meta = parseMeta(JSON.stringify(value.meta ?? null))
  const { kept, transcriptPath, workspace } = value
  if (meta === null || !(kept === null || isKept(kept)) || !(workspace === null || isWorkspace(workspace))) return null
  return { version: 1, meta, kept, transcriptPath: typeof transcriptPath === 'string' ? transcriptPath : null, workspace }
}

function isKept(value: unknown): value is NonNullable<Pending['kept']> {
  if (!isObject(value)) return false
  const isId = (id: unknown) => typeof id === 'string' && /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(id)
  const { commonDir, ref } = value
  if (typeof commonDir !== 'string' || !commonDir.startsWith('/') || typeof ref !== 'string') return false
  return ref.startsWith('refs/offshoot/') && isId(value.id) && isId(value.tree)
}

function isWorkspace(value: unknown): value is NonNullable<Pending['workspace']> {
  return isObject(value) && typeof value.id === 'string' && (value.push === null || typeof value.push === 'string')
}

function listNames(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}

function readIfThere(path: string): string | null {
  try {
    return readRegularText(path)
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}
