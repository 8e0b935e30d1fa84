// Why a file is not in a snapshot: told from the file itself, and from what git said where the file does not tell.
import { closeSync, constants, lstatSync, openSync, type Stats } from 'node:fs'
import { fileErrorCode, isMissing } from '../lib/file-errors.ts'
import type { NotCovered } from '../model/capture.ts'
import { type BytePath, placeOf, showPath } from './byte-path.ts'

export type Reason = NotCovered['reason']

/** By path, as bytes: two reasons for one path are one. */
export type Uncovered = Map<BytePath, Reason>

export function describeUncovered(uncovered: ReadonlyMap<BytePath, Reason>): NotCovered[] {
  return [...uncovered].map(([path, reason]) => ({ path: showPath(path), reason })).sort(byPath)
}

function byPath(one: NotCovered, other: NotCovered): number {
  return one.path < other.path ? -1 : one.path > other.path ? 1 : 0
}

/** `gone` when nothing is there any more. Synchronous: a handful of files, and a thousand times as quick for many. */
export function lookNow(root: string, path: BytePath): Stats | 'gone' | 'unreadable' {
  try {
    return lstatSync(placeOf(root, path))
  } catch (error) {
    if (isMissing(error) || fileErrorCode(error) === 'ELOOP') return 'gone'
    if (fileErrorCode(error) === 'EACCES') return 'unreadable'
    throw error
  }
}

/** Why an untracked file is not added at all; `null` when it may be. */
export function refuseUntracked(root: string, path: BytePath, maxFileBytes: number): Reason | null {
  if (path.endsWith('/')) return 'embedded_repository'
  const found = lookNow(root, path)
  if (found === 'unreadable') return 'unreadable'
  if (found === 'gone') return null
  return maxFileBytes > 0 && found.isFile() && found.size > maxFileBytes ? 'too_large' : null
}

/** Why git, having tried, did not take a file; `null` when it did, or there is nothing to take. */
export function explainLeft(root: string, path: BytePath, stderr: string): Reason | null {
  const found = lookNow(root, path)
  if (found === 'gone') return null
  if (found === 'unreadable') return found
  if (found.isDirectory()) return 'embedded_repository'
  if (!found.isFile() && !found.isSymbolicLink()) return 'special_file'
  if (found.isFile() && !isReadable(root, path)) return 'unreadable'
  // Else it was written again since git read it.
  return stderr.includes(`'${showPath(path)}'`) ? 'filter_failed' : null
}

function isReadable(root: string, path: BytePath): boolean {
  try {
    closeSync(openSync(placeOf(root, path), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK))
    return true
  } catch (error) {
    if (fileErrorCode(error) === 'EACCES') return false
    if (isMissing(error) || fileErrorCode(error) === 'ELOOP') return true
    throw error
  }
}
