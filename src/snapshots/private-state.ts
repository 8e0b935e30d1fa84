// What is remembered beside a private index between two snapshots: of which index it was made, which of its files are the
// person's untracked ones, and what of the last snapshot can be used again. Lost, it is found out anew.
import { rm } from 'node:fs/promises'
import { isMissing } from '../lib/file-errors.ts'
import { loadRegularText } from '../lib/regular-file.ts'
import type { BytePath } from './byte-path.ts'
import type { IndexMark } from './index-mark.ts'
import type { RawFiles } from './raw-files.ts'
import { replaceFile } from './replace-file.ts'
import type { Staged } from './staged.ts'

export interface PrivateState {
  readonly version: 3
  readonly root: string
  /** The person's index as it was when the private one was made of it. */
  readonly mark: IndexMark
  /** Tree of HEAD at that time. */
  readonly headTree: string | null
  /** In the private index, not in the person's: untracked files. May name some that are no longer there. */
  readonly untracked: readonly BytePath[]
  readonly submodules: readonly BytePath[]
  /** In the person's index, no longer in the private one: they were not there, or could not be added. */
  readonly gone: readonly BytePath[]
  /** Tracked, and left out by a sparse checkout. */
  readonly leftOut: readonly BytePath[]
  readonly staged: Staged | null
  readonly raw: RawFiles | null
  /** Of the last snapshot. */
  readonly tree: string | null
}

function statePath(index: string): string {
  return `${index}.json`
}

/** `null` when there is none that can be used: the private index is then made anew. */
export async function readPrivateState(index: string, root: string): Promise<PrivateState | null> {
  let text: string
  try {
    text = await loadRegularText(statePath(index))
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
  try {
    const state = JSON.parse(text) as PrivateState
    return state.version === 3 && state.root === root ? state : null
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

export async function writePrivateState(index: string, state: PrivateState): Promise<void> {
  await replaceFile(statePath(index), JSON.stringify(state))
}

/** The next snapshot starts from the person's index again. */
export async function forgetPrivateIndex(index: string): Promise<void> {
  for (const path of [statePath(index), index, `${index}.lock`, seedPath(index)]) await rm(path, { force: true })
}

/** A copy of the person's index, there only while a private one is being made of it. */
export function seedPath(index: string): string {
  return `${index}.seed`
}
