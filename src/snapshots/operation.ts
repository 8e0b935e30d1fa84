// A merge, rebase or the like that a work tree is in the middle of, and what of it a copy of the work tree can continue.
// State is per work tree: a copied MERGE_HEAD makes the next commit in the copy a merge; a half-done rebase cannot be copied.
import { constants } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isMissing } from '../lib/file-errors.ts'
import { look } from './look.ts'

export const operationKinds = ['merge', 'rebase', 'cherry-pick', 'revert', 'am', 'bisect'] as const

export type OperationKind = (typeof operationKinds)[number]

export interface Operation {
  readonly kind: OperationKind
  /** Whether the copy can be continued and committed just like the original. */
  readonly carried: boolean
}

/** In the order in which git itself would name them: a rebase stops on a cherry-pick of its own. */
const signs: readonly (readonly [OperationKind, string])[] = [
  ['am', 'rebase-apply/applying'],
  ['rebase', 'rebase-apply'],
  ['rebase', 'rebase-merge'],
  ['merge', 'MERGE_HEAD'],
  ['cherry-pick', 'CHERRY_PICK_HEAD'],
  ['revert', 'REVERT_HEAD'],
  ['bisect', 'BISECT_LOG'],
]

const filesToCarry: Partial<Record<OperationKind, readonly string[]>> = {
  merge: ['MERGE_HEAD', 'MERGE_MSG', 'MERGE_MODE', 'AUTO_MERGE'],
  'cherry-pick': ['CHERRY_PICK_HEAD', 'MERGE_MSG', 'AUTO_MERGE'],
  revert: ['REVERT_HEAD', 'MERGE_MSG', 'AUTO_MERGE'],
}

export async function findOperation(gitDir: string): Promise<Operation | null> {
  for (const [kind, sign] of signs) {
    if ((await look(join(gitDir, sign))) === null) continue
    // A series of picks keeps its list in `sequencer`, which names commits still to come: that is not copied.
    const carried = filesToCarry[kind] !== undefined && (await look(join(gitDir, 'sequencer'))) === null
    return { kind, carried }
  }
  return null
}

export async function carryOperation(operation: Operation, fromGitDir: string, toGitDir: string): Promise<void> {
  if (!operation.carried) return
  for (const name of filesToCarry[operation.kind] ?? []) {
    try {
      await copyFile(join(fromGitDir, name), join(toGitDir, name), constants.COPYFILE_EXCL)
    } catch (error) {
      if (!isMissing(error)) throw error
    }
  }
}
