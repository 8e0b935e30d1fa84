// The private index a session's snapshots are taken through. It stays from turn to turn, so that a turn costs a look at each
// file's times, not its bytes; when the person's own index or HEAD changed, it is made of that anew, and what it knew of files goes along.
import { mkdir, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { anySize, loadRegular } from '../lib/regular-file.ts'
import { type BytePath, folderOf, placeOf } from './byte-path.ts'
import type { Git } from './git.ts'
import type { GitSettings } from './git-settings.ts'
import { buildIndex, type IndexRecord } from './index-build.ts'
import { copyIndexFile } from './index-copy.ts'
import { IndexDamage } from './index-damage.ts'
import { type IndexEntry, isSubmodule, parseIndex } from './index-file.ts'
import { markIndex } from './index-mark.ts'
import { type IndexScan, nameAt, scanIndex } from './index-scan.ts'
import { look } from './look.ts'
import { mergePlain } from './merge-plain.ts'
import { lookNow } from './not-covered.ts'
import { forgetPrivateIndex, type PrivateState, readPrivateState, seedPath, writePrivateState } from './private-state.ts'
import { replaceFile } from './replace-file.ts'
import type { WorkTree } from './repository.ts'

/** The person's index as it was read, when it had changed. */
export interface Seed {
  /** A whole copy of it, un-split. */
  readonly path: string
  readonly bytes: Buffer
  /** Neither conflicts nor flags: nothing but what is staged. */
  readonly plain: boolean
  /** Read when asked for. */
  entries(): readonly IndexEntry[]
}

export interface PrivateIndex {
  readonly state: PrivateState
  readonly seed: Seed | null
  /** The private index is as the last look left it: none was cut off in between. */
  readonly intact: boolean
  /** Its bytes then, to tell what changed since. */
  readonly before: Buffer | null
}

export interface PrivateIndexQuestion {
  readonly git: Git
  readonly workTree: WorkTree
  /** Absolute path. */
  readonly index: string
  readonly settings: Pick<GitSettings, 'sparse'>
  readonly headTree: string | null
}

export async function openPrivateIndex(question: PrivateIndexQuestion): Promise<PrivateIndex> {
  const { workTree, index, settings, headTree } = question
  await mkdir(dirname(index), { recursive: true, mode: 0o700 })
  await passLock(index)
  const known = (await look(index)) === null ? null : await readPrivateState(index, workTree.root)
  const mark = await markIndex(workTree.indexPath, workTree.hashBytes)
  // In a sparse checkout a file may come to lie, or cease to lie, where the index says that none does: it is looked at each time.
  const isSame = known?.staged != null && known.mark === mark && known.headTree === headTree && !settings.sparse
  const intact = known?.raw != null && (await markIndex(index, workTree.hashBytes)) === known.raw.mark
  // A look that was cut off did not tell what it took out.
  const usable = isSame && intact && !known.gone.some((path) => isBack(known, path))
  const before = intact ? await loadRegular(index, anySize) : null
  if (usable) return { state: known, seed: null, intact, before }
  const path = seedPath(index)
  const bytes = await copyIndexFile(question.git, workTree, path)
  const scan = scanIndex(bytes, workTree.hashBytes)
  const seed: Seed = { path, bytes, plain: scan?.plain ?? false, entries: readOnce(bytes, workTree.hashBytes) }
  const ordinary = scan?.plain && !settings.sparse ? await mergeOrdinary(question, seed, scan, known) : null
  const made = ordinary ?? (await mergeAny(question, seed, known))
  const state: PrivateState = {
    version: 3,
    root: workTree.root,
    mark,
    headTree,
    ...made,
    gone: [],
    staged: null,
    raw: known?.raw ?? null,
    tree: known?.tree ?? null,
  }
  await writePrivateState(index, state)
  return { state, seed, intact, before }
}

/** To the private index it would be a new file: where it is ignored, which a tracked one cannot be, it would be passed over. */
function isBack({ root, submodules }: PrivateState, path: BytePath): boolean {
  const found = lookNow(root, path)
  if (typeof found === 'string') return found !== 'gone'
  return !found.isDirectory() || submodules.includes(path)
}

/** Only a git that was cut off leaves a lock here, and it may still be at work when only we were killed. */
async function passLock(index: string): Promise<void> {
  const lock = `${index}.lock`
  for (let tries = 0; tries < 20; tries++) {
    if ((await look(lock)) === null) return
    await sleep(25)
  }
  await forgetPrivateIndex(index)
}

type Merged = Pick<PrivateState, 'untracked' | 'submodules' | 'leftOut'>

/** `null` when the private index is none that can be read this way. */
async function mergeOrdinary(
  { workTree, index }: PrivateIndexQuestion,
  seed: Seed,
  scan: IndexScan,
  known: PrivateState | null,
): Promise<Merged | null> {
  const { hashBytes } = workTree
  const old = known === null ? null : await readOwn(index, (bytes) => scanIndex(bytes, hashBytes))
  const { bytes, untracked } = mergePlain(scan, old?.content ?? null, known?.untracked ?? [], hashBytes)
  await writeMerged(index, bytes, seed, old)
  const submodules = scan.submodules.map((number) => nameAt(scan, scan.starts[number] ?? 0, hashBytes))
  return { untracked, submodules, leftOut: [] }
}

/** As old as the older of the two: git trusts an entry only if its file is older than the index. */
async function writeMerged(index: string, bytes: Buffer, seed: Seed, old: Own<unknown> | null): Promise<void> {
  const { mtimeMs } = await stat(seed.path)
  const seconds = Math.floor(Math.min(mtimeMs, old?.mtimeMs ?? Number.POSITIVE_INFINITY) / 1000)
  await replaceFile(index, bytes, { mtimeSeconds: Math.max(1, seconds) })
}

function readOnce(bytes: Buffer, hashBytes: number): () => readonly IndexEntry[] {
  let entries: readonly IndexEntry[] | undefined
  return () => {
    entries ??= parseIndex(bytes, hashBytes).entries
    return entries
  }
}

/** With conflicts, flags, a sparse checkout; entry by entry. */
async function mergeAny(
  { workTree, index, settings }: PrivateIndexQuestion,
  seed: Seed,
  known: PrivateState | null,
): Promise<Merged> {
  const { hashBytes, root } = workTree
  const own = known === null ? null : await readOwn(index, (bytes) => parseOwn(bytes, hashBytes))
  const old = own === null ? null : { bytes: own.bytes, entries: own.content }
  const isLeftOut = createAbsenceCheck(root)
  const records: IndexRecord[] = []
  const submodules: BytePath[] = []
  const leftOut: BytePath[] = []
  for (const entry of seed.entries()) {
    if (isSubmodule(entry)) submodules.push(entry.path)
    const mine = entry.stage === 0 ? old?.entries.get(entry.path) : undefined
    if (settings.sparse && entry.skipWorktree && (await isLeftOut(entry.path))) {
      leftOut.push(entry.path)
      records.push({ ...plain(entry, seed.bytes), skipWorktree: true })
    } else if (old !== null && mine !== undefined && isLater(mine, old.bytes, entry, seed.bytes))
      records.push(plain(mine, old.bytes))
    // What git was told not to look at, it may know anything of.
    else records.push({ ...plain(entry, seed.bytes), keepStat: !entry.hidden })
  }
  const untracked = old === null || known === null ? [] : keepUntracked(known.untracked, old.entries, seed.entries())
  if (old !== null) for (const entry of untracked) records.push(plain(entry, old.bytes))
  records.sort(byPath)
  await writeMerged(index, buildIndex(records, hashBytes), seed, own)
  return { untracked: untracked.map((entry) => entry.path), submodules: [...new Set(submodules)], leftOut }
}

/** The private index before. */
interface Own<T> {
  readonly bytes: Buffer
  readonly content: T
  readonly mtimeMs: number
}

/** `null` when it is damaged: then nothing of it goes along. */
async function readOwn<T>(index: string, read: (bytes: Buffer) => T | null): Promise<Own<T> | null> {
  const { mtimeMs } = await stat(index)
  const bytes = await loadRegular(index, anySize)
  try {
    const content = read(bytes)
    return content === null ? null : { bytes, content, mtimeMs }
  } catch (error) {
    if (!(error instanceof IndexDamage)) throw error
    await rm(index, { force: true })
    return null
  }
}

function parseOwn(bytes: Buffer, hashBytes: number): ReadonlyMap<BytePath, IndexEntry> {
  const { entries } = parseIndex(bytes, hashBytes)
  const usable = entries.filter((entry) => entry.stage === 0 && !entry.hidden && !entry.intentToAdd && !isSubmodule(entry))
  return new Map(usable.map((entry) => [entry.path, entry]))
}

function plain(entry: IndexEntry, source: Buffer): IndexRecord {
  return { entry, source, keepStat: true, assumeUnchanged: false, skipWorktree: false }
}

/** By the time of the file as each of them saw it. */
function isLater(own: IndexEntry, ownBytes: Buffer, entry: IndexEntry, bytes: Buffer): boolean {
  const order = ownBytes.compare(bytes, entry.at + 8, entry.at + 16, own.at + 8, own.at + 16)
  return entry.hidden || order > 0
}

/** A file and a folder of one name cannot both be in an index. */
function keepUntracked(
  known: readonly BytePath[],
  own: ReadonlyMap<BytePath, IndexEntry>,
  tracked: readonly IndexEntry[],
): IndexEntry[] {
  if (known.length === 0) return []
  const files = new Set(tracked.map((entry) => entry.path))
  const folders = new Set<BytePath>()
  for (const { path } of tracked) {
    for (let folder = folderOf(path); folder !== null && !folders.has(folder); folder = folderOf(folder)) folders.add(folder)
  }
  const isBelowFile = (path: BytePath): boolean => {
    const folder = folderOf(path)
    return folder !== null && (files.has(folder) || isBelowFile(folder))
  }
  return known.flatMap((path) => {
    const entry = own.get(path)
    return entry === undefined || files.has(path) || folders.has(path) || isBelowFile(path) ? [] : [entry]
  })
}

function byPath({ entry: one }: IndexRecord, { entry: other }: IndexRecord): number {
  return one.path < other.path ? -1 : one.path > other.path ? 1 : one.stage - other.stage
}

/** Whole folders are left out: one look for each, not one for each file in it. */
function createAbsenceCheck(root: string): (path: BytePath) => Promise<boolean> {
  const folders = new Map<BytePath, boolean>()
  const isFolder = async (folder: BytePath | null): Promise<boolean> => {
    if (folder === null) return true
    const known = folders.get(folder)
    if (known !== undefined) return known
    const there = (await isFolder(folderOf(folder))) && ((await look(placeOf(root, folder)))?.isDirectory() ?? false)
    folders.set(folder, there)
    return there
  }
  return async (path) => !(await isFolder(folderOf(path))) || (await look(placeOf(root, path))) === null
}
