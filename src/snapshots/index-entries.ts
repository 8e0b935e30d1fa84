// What an index holds, entry by entry, with the flags and the file size git noted: `ls-files --debug`, 20 ms at 20,000 files.
import { asBytePath, type BytePath } from './byte-path.ts'
import type { Git } from './git.ts'

export interface IndexEntry {
  readonly path: BytePath
  readonly mode: string
  readonly blob: string
  /** 1, 2 and 3 are the three sides of a conflict. */
  readonly stage: number
  /** `assume-unchanged` or `skip-worktree`: git looks away, so an edit of such a file shows in no status. */
  readonly hidden: boolean
  readonly intentToAdd: boolean
  /** Of the file as it lay in the work tree when git last looked. */
  readonly sizeBytes: number
}

const intentToAddFlag = 0x20000000

export async function readIndexEntries(git: Git, root: string, index: string): Promise<IndexEntry[]> {
  const { stdout } = await git(['ls-files', '--stage', '-v', '--debug', '-z'], { cwd: root, index })
  return parseIndexEntries(stdout)
}

/** `H 100644 <oid> 0\t<path>\0`, then five lines of numbers, the last `  size: 710\tflags: 0`. */
export function parseIndexEntries(output: string): IndexEntry[] {
  const entries: IndexEntry[] = []
  for (let at = 0; at < output.length; ) {
    const tab = output.indexOf('\t', at)
    const end = output.indexOf('\0', tab)
    const numbers = output.indexOf('  size: ', end)
    const next = output.indexOf('\n', numbers) + 1
    const [tag = '', mode = '', blob = '', stage = ''] = output.slice(at, tab).split(' ')
    const [size = '', flags = ''] = output.slice(numbers + 8, next - 1).split('\tflags: ')
    entries.push({
      path: asBytePath(output.slice(tab + 1, end)),
      mode,
      blob,
      stage: Number(stage),
      hidden: tag === 'S' || tag !== tag.toUpperCase(),
      intentToAdd: (Number.parseInt(flags, 16) & intentToAddFlag) !== 0,
      sizeBytes: Number(size),
    })
    at = next
  }
  return entries
}

export function isSubmodule(entry: IndexEntry): boolean {
  return entry.mode === '160000'
}
