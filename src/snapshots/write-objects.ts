// Writes objects into a repository: blobs and trees by git itself, which checks that all a tree names is there.
import { joinRecords } from './byte-path.ts'
import type { Git } from './git.ts'

export interface NamedObject {
  readonly mode: '100644' | '100755' | '040000'
  readonly id: string
  readonly name: string
}

/** One byte per character. */
export async function writeBlob(git: Git, cwd: string, content: string): Promise<string> {
  return (await git(['hash-object', '-w', '--no-filters', '--stdin'], { cwd, input: content })).stdout.trim()
}

/** With the empty blob, in one go. */
export async function writeBlobAndEmpty(git: Git, cwd: string, content: string): Promise<{ blob: string; empty: string }> {
  const { stdout } = await git(['hash-object', '-w', '--no-filters', '--stdin', '/dev/null'], { cwd, input: content })
  const [blob = '', empty = ''] = stdout.split('\n')
  return { blob, empty }
}

/** In any order. Fails when an object is missing. */
export async function makeTree(git: Git, cwd: string, objects: readonly NamedObject[]): Promise<string> {
  const records = objects.map(({ mode, id, name }) => `${mode} ${mode === '040000' ? 'tree' : 'blob'} ${id}\t${name}`)
  return (await git(['mktree', '-z'], { cwd, input: joinRecords(records) })).stdout.trim()
}
