// The merge, cherry-pick or revert a work tree was in the middle of, kept with a snapshot so that a fork of that turn can go on
// with it. The commit being merged is only named: a tree cannot keep a commit from being pruned, and a ref to it would show in
// `git log --all`. If it is gone by then, that is said.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isMissing } from '../lib/file-errors.ts'
import { isObject } from '../lib/jsonl.ts'
import { loadRegular } from '../lib/regular-file.ts'
import { showPath } from './byte-path.ts'
import type { Git } from './git.ts'
import { findOperation, type Operation, type OperationKind, operationKinds } from './operation.ts'
import { parseJson } from './parse-meta.ts'
import { findMissing } from './read-objects.ts'
import type { WorkTree } from './repository.ts'
import { writeBlob } from './write-objects.ts'

export interface StoredOperation extends Operation {
  /** By git's names; one byte per character. */
  readonly files: readonly (readonly [name: string, content: string])[]
}

/** Those that name commits come first. AUTO_MERGE is not among them: it names a tree that may be pruned, and only helps to look. */
const filesOf: Partial<Record<OperationKind, readonly string[]>> = {
  merge: ['MERGE_HEAD', 'MERGE_MSG', 'MERGE_MODE'],
  'cherry-pick': ['CHERRY_PICK_HEAD', 'MERGE_MSG'],
  revert: ['REVERT_HEAD', 'MERGE_MSG'],
}

/** As a blob; `null` where nothing is in progress. */
export async function keepOperation(git: Git, { gitDir, commonDir }: WorkTree): Promise<string | null> {
  const operation = await findOperation(gitDir)
  if (operation === null) return null
  const files: [string, string][] = []
  for (const name of operation.carried ? (filesOf[operation.kind] ?? []) : []) {
    try {
      files.push([name, (await loadRegular(join(gitDir, name))).toString('latin1')])
    } catch (error) {
      if (!isMissing(error)) throw error
    }
  }
  const { kind, carried } = operation
  const text = JSON.stringify({ kind, carried, files: Object.fromEntries(files) })
  return writeBlob(git, commonDir, Buffer.from(`${text}\n`).toString('latin1'))
}

/** Of the blob's own bytes. A snapshot may be a stranger's: only files that belong to such an operation are taken. */
export function parseOperation(content: string): StoredOperation | null {
  const value = parseJson(showPath(content))
  const kind = isObject(value) ? operationKinds.find((each) => each === value.kind) : undefined
  if (!isObject(value) || kind === undefined) return null
  const stored = isObject(value.files) ? value.files : {}
  const files = (filesOf[kind] ?? []).flatMap((name) => {
    const text = stored[name]
    return typeof text === 'string' ? [[name, text] as const] : []
  })
  return { kind, files, carried: value.carried === true && commitsOf(files).length > 0 }
}

function commitsOf(files: StoredOperation['files']): string[] {
  const lines =
    files
      .find(([name]) => name.endsWith('_HEAD'))?.[1]
      .trim()
      .split('\n') ?? []
  return lines.every((line) => /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(line)) ? lines : []
}

/** What can be continued over this base, and what must be said of the rest. `onHead`: the commit it began on is there. */
export async function judgeOperation(
  git: Git,
  commonDir: string,
  operation: StoredOperation,
  onHead: boolean,
): Promise<{ readonly operation: StoredOperation; readonly note: string | null }> {
  const commits = commitsOf(operation.files)
  const missing = commits.length === 0 ? [] : await findMissing(git, commonDir, commits)
  if (operation.carried && onHead && missing.length === 0) return { operation, note: null }
  const why = missing.length === 0 ? '' : `, because commit ${missing[0]?.slice(0, 12)} is gone`
  const name = `${operation.kind === 'am' ? 'An' : 'A'} ${operation.kind}`
  const note = `${name} was in progress: the files and conflicts are as they were, but it cannot be continued there${why}.`
  return { operation: { ...operation, carried: false }, note }
}

export async function writeOperation(gitDir: string, { carried, files }: StoredOperation): Promise<void> {
  if (!carried) return
  for (const [name, content] of files) await writeFile(join(gitDir, name), content, { encoding: 'latin1', flag: 'wx' })
}
