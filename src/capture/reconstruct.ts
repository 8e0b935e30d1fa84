// Puts the code of a turn together again: a state that is known (a commit, or a snapshot of an earlier turn) and every recorded
// edit since. All of it happens in memory, so that a plan writes nothing; writing it down is a step of its own.
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { RecordedEdit } from '../agents/recorded-edits.ts'
import { asBytePath, joinRecords, showPath, splitRecords } from '../snapshots/byte-path.ts'
import type { Git } from '../snapshots/git.ts'
import { readObjects } from '../snapshots/read-objects.ts'
import { applyEdits, type Files, type MemoryFile } from './apply-edits.ts'

export interface Beginning {
  readonly commonDir: string
  readonly tree: string
}

export interface Reconstruction {
  readonly beginning: Beginning
  /** Files that differ from the beginning; `null`: gone. Paths as bytes. */
  readonly changes: ReadonlyMap<string, MemoryFile | null>
  readonly digest: string
}

/** Or the reason why it cannot be done. */
export async function reconstruct(
  git: Git,
  beginning: Beginning,
  edits: readonly RecordedEdit[],
  pathOf: (path: string) => string | null,
): Promise<Reconstruction | string> {
  const bytePathOf = (path: string) => {
    const inside = pathOf(path)
    return inside === null ? null : Buffer.from(inside, 'utf8').toString('latin1')
  }
  const paths = new Set(
    edits.flatMap(({ path, movedTo }) =>
      [path, ...(movedTo === undefined ? [] : [movedTo])].flatMap((each) => bytePathOf(each) ?? []),
    ),
  )
  const before = await readFiles(git, beginning, paths)
  if (typeof before === 'string') return before
  const files: Files = new Map(before)
  const problem = applyEdits(files, edits, bytePathOf)
  if (problem !== null) return showPath(problem)
  const changes = new Map([...files].filter(([path, file]) => !isSameFile(file, before.get(path) ?? null)))
  return { beginning, changes, digest: digestOf(beginning, changes) }
}

function isSameFile(a: MemoryFile | null, b: MemoryFile | null): boolean {
  return a?.bytes === b?.bytes && a?.mode === b?.mode
}

/** What the tree holds at these paths; a reason where a path leads through something that is no folder. */
async function readFiles(git: Git, { commonDir, tree }: Beginning, paths: ReadonlySet<string>): Promise<Files | string> {
  const wanted = new Set([...paths].flatMap((path) => path.split('/').map((_, i, steps) => steps.slice(0, i + 1).join('/'))))
  if (wanted.size === 0) return new Map()
  const { stdout } = await git(['ls-tree', '-z', '--full-tree', tree, '--', ...[...wanted].map(showPath)], { cwd: commonDir })
  const entries = splitRecords(stdout).flatMap((record) => {
    const [, mode = '', type, id = '', path = ''] = /^(\d+) (\w+) ([0-9a-f]+)\t([\s\S]*)$/.exec(record) ?? []
    return type === undefined ? [] : [{ mode, type, id, path }]
  })
  const folders = new Set([...wanted].filter((path) => !paths.has(path)))
  for (const { type, path } of entries) {
    if (type !== 'tree' && [...paths].some((each) => each.startsWith(`${path}/`))) return `${showPath(path)} is no folder`
    if (type === 'tree' && paths.has(path) && !folders.has(path)) return `${showPath(path)} is a folder`
  }
  const blobs = entries.filter(({ type, path }) => type !== 'tree' && paths.has(path))
  const objects = await readObjects(
    git,
    commonDir,
    blobs.map(({ id }) => id),
  )
  const files: Files = new Map([...paths].map((path) => [path, null]))
  for (const [i, { path, mode }] of blobs.entries()) files.set(path, { bytes: objects[i]?.content ?? '', mode })
  return files
}

function digestOf({ tree }: Beginning, changes: Reconstruction['changes']): string {
  const hash = createHash('sha256').update(tree)
  for (const [path, file] of [...changes].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const content = file === null ? '-' : createHash('sha256').update(file.bytes, 'latin1').digest('hex')
    hash.update(`\0${path}\0${file?.mode ?? ''}\0${content}`, 'latin1')
  }
  return hash.digest('hex')
}

/** Objects only, through an index of its own: no ref, no file of anybody's. Gives the tree. */
export async function writeTree(git: Git, folder: string, { beginning, changes }: Reconstruction): Promise<string> {
  const { commonDir, tree } = beginning
  const records: string[] = []
  for (const [path, file] of changes) {
    const id = file === null ? '0'.repeat(tree.length) : await writeBlob(git, commonDir, file)
    records.push(`${file?.mode ?? '0'} ${id}\t${asBytePath(path)}`)
  }
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const scratch = await mkdtemp(join(folder, 'reconstruct-'))
  try {
    const call = { cwd: commonDir, index: join(scratch, 'index') }
    await git(['read-tree', tree], call)
    await git(['update-index', '-z', '--index-info'], { ...call, input: joinRecords(records) })
    return (await git(['write-tree'], call)).stdout.trim()
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

async function writeBlob(git: Git, cwd: string, { bytes }: MemoryFile): Promise<string> {
  return (await git(['hash-object', '-w', '--stdin', '--no-filters'], { cwd, input: bytes })).stdout.trim()
}
