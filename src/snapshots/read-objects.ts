// Reads objects of a repository by name, many with one process: `git cat-file --batch`, one byte per character.
import { asBytePath, type BytePath, splitRecords } from './byte-path.ts'
import type { Git } from './git.ts'

export interface GitObject {
  readonly id: string
  readonly type: 'blob' | 'tree' | 'commit' | 'tag'
  readonly content: string
}

/** In the order asked for; `null` for what is not there. A name is an id, or an id or ref with a path: `<id>:meta`. */
export async function readObjects(git: Git, cwd: string, names: readonly string[]): Promise<(GitObject | null)[]> {
  if (names.length === 0) return []
  const input = names.map((name) => `${name}\n`).join('')
  const { stdout } = await git(['cat-file', '--batch', '--buffer'], { cwd, input })
  const objects: (GitObject | null)[] = []
  for (let at = 0; at < stdout.length; ) {
    const lineEnd = stdout.indexOf('\n', at)
    const header = /^([0-9a-f]+) (blob|tree|commit|tag) (\d+)$/.exec(stdout.slice(at, lineEnd))
    at = lineEnd + 1
    const [, id, type, size] = header ?? []
    if (id === undefined) {
      objects.push(null)
      continue
    }
    const end = at + Number(size)
    objects.push({ id, type: type as GitObject['type'], content: stdout.slice(at, end) })
    at = end + 1
  }
  return objects
}

/** Whether these objects, of whatever kind, are there; without reading them. */
export async function findMissing(git: Git, cwd: string, names: readonly string[]): Promise<string[]> {
  const input = names.map((name) => `${name}\n`).join('')
  const { stdout } = await git(['cat-file', '--batch-check=%(objecttype)', '--buffer'], { cwd, input })
  const answers = stdout.split('\n')
  return names.filter((_, number) => !['blob', 'tree', 'commit', 'tag'].includes(answers[number] ?? ''))
}

export interface TreeEntry {
  readonly mode: number
  readonly id: string
}

/** The entries of one tree object as git stores it. */
export function parseTree({ id, content }: GitObject): Map<BytePath, TreeEntry> {
  const hashBytes = id.length / 2
  const entries = new Map<BytePath, TreeEntry>()
  for (let at = 0; at < content.length; ) {
    const space = content.indexOf(' ', at)
    const zero = content.indexOf('\0', space)
    const end = zero + 1 + hashBytes
    const hash = Buffer.from(content.slice(zero + 1, end), 'latin1').toString('hex')
    entries.set(asBytePath(content.slice(space + 1, zero)), { mode: Number.parseInt(content.slice(at, space), 8), id: hash })
    at = end
  }
  return entries
}

/** Every file of a tree, those of its folders included. */
export async function listTree(git: Git, cwd: string, tree: string): Promise<Map<BytePath, TreeEntry>> {
  const { stdout } = await git(['ls-tree', '-r', '-z', '--full-tree', tree], { cwd })
  const files = new Map<BytePath, TreeEntry>()
  for (const record of splitRecords(stdout)) {
    const tab = record.indexOf('\t')
    const [mode = '', , id = ''] = record.slice(0, tab).split(' ')
    files.set(asBytePath(record.slice(tab + 1)), { mode: Number.parseInt(mode, 8), id })
  }
  return files
}
