// Files whose bytes git would not write as they lie there, because of line ends, $Id$ or encodings: their bytes are kept beside
// the tree. Of files with a filter only what the filter would not give back: they may be secret outside of the work tree.
// Each file is looked at once more when git's note of it changed, whatever the attributes say: they may have come and gone.
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { fileErrorCode, isMissing } from '../lib/file-errors.ts'
import { anySize, loadRegular } from '../lib/regular-file.ts'
import { type Attributes, isAttributeFile, readAttributes } from './attributes.ts'
import { type BytePath, joinRecords, placeOf } from './byte-path.ts'
import { findUnfaithful, findUnfiltered } from './filtered-files.ts'
import type { Git } from './git.ts'
import type { GitSettings } from './git-settings.ts'
import { compareIndexes, type IndexChanges, isFile, listFiles, type SeenFile } from './index-compare.ts'
import type { IndexMark } from './index-mark.ts'
import { look } from './look.ts'
import { lookNow } from './not-covered.ts'
import type { WorkTree } from './repository.ts'
import { makeTree, writeBlob } from './write-objects.ts'

export interface RawFiles {
  /** The private index this was found out from. */
  readonly mark: IndexMark
  /** What decides besides the attributes in the tree, which are watched apart. */
  readonly rules: string
  readonly files: readonly (readonly [path: BytePath, mode: number, blob: string])[]
  /** Their blobs by running number, and their paths. */
  readonly tree: string | null
  readonly paths: string | null
}

export interface RawQuestion {
  readonly git: Git
  readonly workTree: WorkTree
  readonly index: string
  readonly settings: GitSettings
  readonly known: RawFiles | null
  /** The private index as `known` was found out from it; `null` when there is none such. */
  readonly before: Buffer | null
  /** Whether a .gitattributes came, went or changed since the private index was opened. */
  readonly attributesChanged: boolean
}

export async function keepRaw(question: RawQuestion): Promise<Omit<RawFiles, 'mark'>> {
  const { workTree, index, settings, before, known } = question
  const [rules, now] = await Promise.all([describeRules(workTree, settings), loadRegular(index, anySize)])
  const changes = known === null || before === null ? null : compareIndexes(before, now, workTree.hashBytes)
  const isSame = changes !== null && known?.rules === rules && !question.attributesChanged && !touchesAttributes(changes)
  // Other attributes make other bytes of files that did not change.
  const toLookAt = isSame ? changes.changed.filter(isFile) : listFiles(now, workTree.hashBytes)
  if (isSame && changes.changed.length === 0 && changes.gone.length === 0) return known
  const files = new Map(known?.files.map(([path, ...rest]) => [path, rest] as const))
  const changed = new Set(changes?.changed.map(({ path }) => path))
  const found = await findRaw(question, toLookAt, ({ path }) => changed.has(path) || files.has(path))
  for (const path of changes?.gone ?? []) files.delete(path)
  for (const { path } of changes?.changed ?? []) files.delete(path)
  if (!isSame) files.clear()
  for (const [{ path, mode }, blob] of found) files.set(path, [mode, blob])
  const list = [...files].map(([path, [mode, blob]]) => [path, mode, blob] as const).sort(byPath)
  return { rules, files: list, ...(await storeList(question, list)) }
}

function touchesAttributes({ changed, gone }: IndexChanges): boolean {
  return changed.some(({ path }) => isAttributeFile(path)) || gone.some(isAttributeFile)
}

/** Attributes outside of the tree; and those at its top, which count though they be ignored. */
async function describeRules({ root, commonDir }: WorkTree, { filters }: GitSettings): Promise<string> {
  const seen = await Promise.all([join(commonDir, 'info', 'attributes'), join(root, '.gitattributes')].map(look))
  const marks = seen.map((file) => (file === null ? '' : `${file.size} ${file.mtimeNs}`))
  return createHash('sha1')
    .update(JSON.stringify([filters, marks]))
    .digest('hex')
}

async function askAttributes(
  { git, workTree, index }: RawQuestion,
  files: readonly SeenFile[],
): Promise<Map<BytePath, Attributes>> {
  if (files.length === 0) return new Map()
  const input = joinRecords(files.map(({ path }) => path))
  const call = { cwd: workTree.root, index, input, ofRepository: true }
  return readAttributes((await git(['check-attr', '-z', '--stdin', '--all'], call)).stdout)
}

function isSet(attributes: Attributes | undefined, name: string): boolean {
  return !['unset', 'unspecified', undefined].includes(attributes?.get(name))
}

/** Checkout would write other bytes than the blob's, whatever they are. */
function converts(attributes: Attributes | undefined): boolean {
  return isSet(attributes, 'ident') || isSet(attributes, 'working-tree-encoding') || attributes?.get('eol') === 'crlf'
}

async function findRaw(
  question: RawQuestion,
  candidates: readonly SeenFile[],
  isDoubtful: (file: SeenFile) => boolean,
): Promise<[SeenFile, string][]> {
  const { git, workTree, index } = question
  const attributes = await askAttributes(question, candidates)
  const hasFilter = ({ path }: SeenFile) => isSet(attributes.get(path), 'filter')
  const willConvert = ({ path }: SeenFile) => converts(attributes.get(path))
  const own = candidates.filter((file) => !hasFilter(file))
  // LFS keeps what it took, and its files are large. What the repository itself would have us run is run only where files are written.
  const filterOf = ({ path }: SeenFile) => attributes.get(path)?.get('filter') ?? ''
  const isOwn = (file: SeenFile) => question.settings.ownSmudges.has(filterOf(file))
  const [untried, filtered] = partition(
    candidates.filter((file) => hasFilter(file) && filterOf(file) !== 'lfs'),
    isOwn,
  )
  // A filter may have been at work once, and its attribute be gone.
  const doubtAll = /(^|\0)filter\.(?!lfs\.)/.test(question.settings.filters)
  const [mayDiffer, rest] = partition(own, (file) => doubtAll || isDoubtful(file) || willConvert(file))
  const [sizes, unfaithful, unfiltered] = await Promise.all([
    readBlobSizes(git, workTree.commonDir, rest),
    findUnfaithful(git, workTree.root, index, filtered),
    findUnfiltered(workTree, untried),
  ])
  // A file with the size of its blob lost no line ends on its way in.
  const otherSize = rest.filter((file, number) => file.sizeBytes !== sizes[number])
  const blobs = await hashFiles(git, workTree.root, [...mayDiffer, ...otherSize, ...unfaithful, ...unfiltered])
  return [...blobs].filter(([file, blob]) => blob !== file.blob || willConvert(file) || hasFilter(file))
}

function partition<T>(all: readonly T[], belongs: (each: T) => boolean): [T[], T[]] {
  const parts: [T[], T[]] = [[], []]
  for (const each of all) parts[belongs(each) ? 0 : 1].push(each)
  return parts
}

async function readBlobSizes(git: Git, cwd: string, files: readonly SeenFile[]): Promise<number[]> {
  if (files.length === 0) return []
  const input = files.map(({ blob }) => `${blob}\n`).join('')
  const { stdout } = await git(['cat-file', '--batch-check=%(objectsize)', '--buffer'], { cwd, input })
  return stdout.split('\n').map(Number)
}

/** Their bytes as they lie there, as blobs. A name with a line break cannot be told by a list. */
async function hashFiles(git: Git, root: string, files: readonly SeenFile[]): Promise<Map<SeenFile, string>> {
  const there = files.filter(({ path }) => {
    const found = lookNow(root, path)
    return typeof found === 'object' && found.isFile()
  })
  const listed = there.filter(({ path }) => !/^"|\n/.test(path))
  const input = listed.map(({ path }) => `${path}\n`).join('')
  // One that cannot be read, or went just now, ends it: then they are read one by one.
  const call = { cwd: root, input, accept: [0, 128] }
  const args = ['hash-object', '-w', '--no-filters', '--stdin-paths']
  const ids = listed.length === 0 ? [] : (await git(args, call)).stdout.split('\n').slice(0, -1)
  const blobs = new Map(listed.slice(0, ids.length).map((file, number) => [file, ids[number] ?? '']))
  for (const file of there) {
    if (blobs.has(file)) continue
    const content = await loadRegular(placeOf(root, file.path), anySize).then((bytes) => bytes.toString('latin1'), passOver)
    if (content !== null) blobs.set(file, await writeBlob(git, root, content))
  }
  return blobs
}

function passOver(error: unknown): null {
  if (isMissing(error) || ['EACCES', 'ELOOP', 'EISDIR', 'unreadable'].includes(fileErrorCode(error) ?? '')) return null
  throw error
}

async function storeList(
  { git, workTree, known }: RawQuestion,
  files: RawFiles['files'],
): Promise<Pick<RawFiles, 'tree' | 'paths'>> {
  if (files.length === 0) return { tree: null, paths: null }
  if (known !== null && JSON.stringify(known.files) === JSON.stringify(files)) return { tree: known.tree, paths: known.paths }
  const cwd = workTree.commonDir
  const objects = files.map(([, mode, id], number) => {
    return { mode: mode & 0o100 ? ('100755' as const) : ('100644' as const), id, name: String(number) }
  })
  const paths = joinRecords(files.map(([path]) => path))
  const [tree, list] = await Promise.all([makeTree(git, cwd, objects), writeBlob(git, cwd, paths)])
  return { tree, paths: list }
}

function byPath([one]: readonly [BytePath, ...unknown[]], [other]: readonly [BytePath, ...unknown[]]): number {
  return one < other ? -1 : one > other ? 1 : 0
}
