// Puts files of given blobs into a work tree without touching its index: through git, with its conversions, or byte for byte.
// What is in the way at the very path is replaced; links on the way are never followed.
import { chmod, rm, symlink, unlink, writeFile } from 'node:fs/promises'
import { fileErrorCode } from '../lib/file-errors.ts'
import { AppError } from '../model/error.ts'
import { type BytePath, folderOf, joinRecords, placeOf, showPath, splitRecords } from './byte-path.ts'
import { createFolderMaker } from './copy-files.ts'
import { filterGone, findFailedFilter } from './failed-filter.ts'
import type { Git } from './git.ts'
import { look } from './look.ts'
import { readObjects, type TreeEntry } from './read-objects.ts'

export interface FilesToWrite {
  readonly git: Git
  readonly root: string
  /** Absolute path of an index of our own, used for a moment. */
  readonly scratch: string
  readonly entries: ReadonlyMap<BytePath, TreeEntry>
  /** For files of a snapshot: see `GitCall`. */
  readonly ofRepository: boolean
  /** Absolute path of an empty folder to write them in, in place of the work tree. Attributes are those of the work tree. */
  readonly into?: string
}

const checkoutTimeoutMs = 30 * 60_000

export interface Unwritten {
  readonly path: BytePath
  readonly reason: string
  /** Where it was not git that failed. */
  readonly error?: unknown
}

/** Answers with the paths git could not write; throws where a filter failed, with all that came after it unwritten. */
export async function checkOutFiles(files: FilesToWrite): Promise<Unwritten[]> {
  const { git, root, scratch, entries, into, ofRepository } = files
  if (entries.size === 0) return []
  await rm(scratch, { force: true })
  try {
    const records = [...entries].map(([path, { mode, id }]) => `${mode.toString(8)} ${id}\t${path}`)
    await git(['update-index', '-z', '--index-info'], { cwd: root, index: scratch, input: joinRecords(records) })
    // Attributes are read from the files: those that say how to write the others come first.
    const attributes = into === undefined ? [...entries.keys()].filter(isAttributeFile) : []
    const first = attributes.length === 0 ? null : await run(['-z', '--stdin'], joinRecords(attributes))
    const all = await run(['--all'])
    if ((first?.exitCode ?? 0) === 0 && all.exitCode === 0) return []
    const said = `${first?.stderr ?? ''}${all.stderr}`
    if (findFailedFilter(said) !== null || filterGone.test(said))
      throw new AppError('failed', `A filter failed in ${root}.`, { details: { cwd: root, stderr: said } })
    const unwritten =
      into === undefined ? await findUnwritten(git, root, scratch) : await findUnstaged(into, entries.keys(), said)
    return unwritten.map((path) => ({ path, reason: explain(path, said) }))
  } finally {
    await rm(scratch, { force: true })
  }

  function run(which: readonly string[], input?: string) {
    const call = { cwd: root, index: scratch, accept: [0, 1, 128], timeoutMs: checkoutTimeoutMs, ofRepository }
    const args = ['checkout-index', into === undefined ? '--index' : `--prefix=${into}/`, '--force', '--quiet', ...which]
    return git(args, input === undefined ? call : { ...call, input })
  }
}

/** In a worktree of our own making nothing is in the way: if a file cannot be written, the disk is full or the worktree is none. */
export function refuseUnwritten(root: string, unwritten: readonly Unwritten[]): void {
  const [first] = unwritten
  if (first === undefined) return
  if (first.error !== undefined) throw first.error
  throw new AppError('failed', `${showPath(first.path)} is missing in ${root}: ${first.reason}`)
}

function explain(path: BytePath, said: string): string {
  const line = said.split('\n').find((each) => each.includes(showPath(path)))
  return line === undefined ? 'git could not write it' : `git could not write it: ${line.replace(/^(fatal|error): /, '')}`
}

export function isAttributeFile(path: BytePath): boolean {
  return /(^|\/)\.gitattributes$/.test(path)
}

/** By comparing all of it: git keeps no times of what it wrote when one file failed. */
async function findUnwritten(git: Git, cwd: string, index: string): Promise<BytePath[]> {
  await git(['update-index', '-q', '--refresh'], { cwd, index, accept: [0, 1] })
  const { stdout } = await git(['diff-files', '-z', '--name-only', '--ignore-submodules=all'], { cwd, index })
  return splitRecords(stdout) as BytePath[]
}

/** What git could not read is not there; of what it could not write a part may be there, so that counts for all. */
async function findUnstaged(into: string, paths: Iterable<BytePath>, said: string): Promise<BytePath[]> {
  const cut = /unable to (?:write|create) file .*|No space left on device/.exec(said)
  if (cut !== null) {
    throw new AppError('disk_full', `git could not write all files: is the disk full? (${cut[0]})`, { details: { stderr: said } })
  }
  const missing: BytePath[] = []
  for (const path of paths) if ((await look(placeOf(into, path))) === null) missing.push(path)
  return missing
}

/** Of one process of git, and of memory. */
const maxGroupFiles = 2000
const maxGroupBytes = 32 * 1024 * 1024
/** More at once gained nothing: the disk and libuv's four threads are the limit. */
const atOnce = 8

/** The blobs' own bytes, whatever the attributes say. */
export async function writeRawFiles(
  git: Git,
  root: string,
  entries: ReadonlyMap<BytePath, TreeEntry>,
  into = root,
): Promise<Unwritten[]> {
  const makeFolder = createFolderMaker(into)
  const failed: Unwritten[] = []
  for (const group of await groupBySize(git, root, [...entries])) {
    const ids = group.map(([, { id }]) => id)
    const waiting = (await readObjects(git, root, ids)).entries()
    const takeTurns = async () => {
      for (const [number, blob] of waiting) {
        const entry = group[number]
        if (entry === undefined) continue
        const [path, { mode, id }] = entry
        try {
          if (blob?.type !== 'blob') throw new Error(`object ${id} is missing`)
          await makeFolder(folderOf(path))
          await writeRawFile(placeOf(into, path), Buffer.from(blob.content, 'latin1'), mode)
        } catch (error) {
          failed.push({ path, error, reason: `it cannot be written (${fileErrorCode(error) ?? String(error)})` })
        }
      }
    }
    await Promise.all(Array.from({ length: atOnce }, takeTurns))
  }
  return failed
}

type Entry = readonly [BytePath, TreeEntry]

async function groupBySize(git: Git, cwd: string, entries: readonly Entry[]): Promise<Entry[][]> {
  if (entries.length === 0) return []
  const input = entries.map(([, { id }]) => `${id}\n`).join('')
  const { stdout } = await git(['cat-file', '--batch-check=%(objectsize)', '--buffer'], { cwd, input })
  const sizes = stdout.split('\n').map(Number)
  const groups: Entry[][] = []
  let bytes = 0
  entries.forEach((entry, number) => {
    const size = sizes[number] || 0
    const last = groups.at(-1)
    if (last === undefined || last.length === maxGroupFiles || bytes + size > maxGroupBytes) {
      groups.push([entry])
      bytes = size
    } else {
      last.push(entry)
      bytes += size
    }
  })
  return groups
}

/** Exclusive, after taking away what was there: a link in its place is not written through. */
async function writeRawFile(place: Buffer, content: Buffer, mode: number): Promise<void> {
  if ((await look(place)) !== null) await unlink(place)
  if (mode === 0o120000) return symlink(content, place)
  await writeFile(place, content, { flag: 'wx', mode: 0o666 })
  if (mode & 0o100) await chmod(place, 0o777 & ~process.umask())
}
