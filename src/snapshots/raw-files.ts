// Files whose bytes git would not write as they lie there, because of line ends, $Id$ or encodings: their bytes are kept beside
// the tree. Of files with a filter only what the filter would not give back: they may be secret outside of the work tree.
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type Attributes, isAttributeFile, readAttributes } from './attributes.ts'
import { type BytePath, joinRecords, placeOf } from './byte-path.ts'
import { findUnfaithful } from './filtered-files.ts'
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
  /** Settings that decide; attributes in the tree are watched apart. */
  readonly rules: string
  /** False: no attribute or setting that could make a difference, nothing to look for until there is one. */
  readonly possible: boolean
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
  /** Whether it was made anew then: of attributes that the person had staged git says nothing when it adds the rest. */
  readonly remade: boolean
}

export async function keepRaw(question: RawQuestion): Promise<Omit<RawFiles, 'mark'>> {
  const { workTree, index, settings, before, remade } = question
  const rules = await describeRules(workTree, settings)
  const known = question.known?.rules === rules ? question.known : null
  if (known?.possible === false && !question.attributesChanged && !remade) return known
  const now = await readFile(index)
  const changes = known === null || before === null ? null : compareIndexes(before, now, workTree.hashBytes)
  // Seen for the first time: attributes may have come and gone before.
  const attributesChanged = question.attributesChanged || known === null || mayDiffer(known, changes, now)
  const valid = attributesChanged ? null : known
  if (valid?.possible === false) return valid
  const since = valid === null ? null : changes
  const candidates = since?.changed.filter(isFile) ?? listFiles(now, workTree.hashBytes)
  const attributes = await askAttributes(question, candidates)
  const possible =
    since !== null ||
    settings.autocrlf !== 'false' ||
    candidates.some(({ path }) => isAttributeFile(path)) ||
    [...attributes.values()].some(mayConvert)
  // Files keep the blobs that attributes of the past made of them: also when those were just taken away.
  if (!possible && !attributesChanged) return { rules, possible, files: [], tree: null, paths: null }
  const files = new Map(since === null ? [] : valid?.files.map(([path, ...rest]) => [path, rest] as const))
  for (const path of since?.gone ?? []) files.delete(path)
  for (const { path } of since?.changed ?? []) files.delete(path)
  for (const [{ path, mode }, blob] of await findRaw(question, candidates, attributes)) files.set(path, [mode, blob])
  const list = [...files].map(([path, [mode, blob]]) => [path, mode, blob] as const).sort(byPath)
  return { rules, possible: possible || list.length > 0, files: list, ...(await storeList(question, list, valid)) }
}

/** Whether other attributes may hold than those that `known` was found out by. Where nothing was possible, there were none. */
function mayDiffer(known: RawFiles | null, changes: IndexChanges | null, now: Buffer): boolean {
  if (known?.possible === false) return now.includes('.gitattributes\0')
  const paths = changes === null ? [] : [...changes.changed.map(({ path }) => path), ...changes.gone]
  return paths.some(isAttributeFile)
}

/** Attributes outside of the tree count too. */
async function describeRules({ root, commonDir }: WorkTree, settings: GitSettings): Promise<string> {
  const { autocrlf, eolIsCrlf, attributesFile, filters } = settings
  const places = [join(commonDir, 'info', 'attributes'), ...(attributesFile === null ? [] : [resolve(root, attributesFile)])]
  const seen = await Promise.all(places.map(look))
  const marks = seen.map((file) => (file === null ? '' : `${file.size} ${file.mtimeNs}`))
  return createHash('sha1')
    .update(JSON.stringify([autocrlf, eolIsCrlf, attributesFile, filters, marks]))
    .digest('hex')
}

async function askAttributes(
  { git, workTree, index }: RawQuestion,
  files: readonly SeenFile[],
): Promise<Map<BytePath, Attributes>> {
  if (files.length === 0) return new Map()
  const input = joinRecords(files.map(({ path }) => path))
  const { stdout } = await git(['check-attr', '-z', '--stdin', '--all'], { cwd: workTree.root, index, input })
  return readAttributes(stdout)
}

const converting = ['text', 'crlf', 'eol', 'ident', 'working-tree-encoding', 'filter']

function isSet(attributes: Attributes | undefined, name: string): boolean {
  return !['unset', 'unspecified', undefined].includes(attributes?.get(name))
}

function mayConvert(attributes: Attributes): boolean {
  return converting.some((name) => isSet(attributes, name))
}

/** Checkout would write other bytes than the blob's, whatever they are. */
function converts(attributes: Attributes | undefined, { autocrlf, eolIsCrlf }: GitSettings): boolean {
  if (isSet(attributes, 'ident') || isSet(attributes, 'working-tree-encoding')) return true
  const isBinary = attributes?.get('text') === 'unset' || attributes?.get('crlf') === 'unset'
  const isText = isSet(attributes, 'text') || isSet(attributes, 'crlf')
  return attributes?.get('eol') === 'crlf' || (!isBinary && (autocrlf === 'true' || (eolIsCrlf && isText)))
}

async function findRaw(
  { git, workTree, index, settings }: RawQuestion,
  candidates: readonly SeenFile[],
  attributes: ReadonlyMap<BytePath, Attributes>,
): Promise<[SeenFile, string][]> {
  const hasFilter = ({ path }: SeenFile) => isSet(attributes.get(path), 'filter')
  const own = candidates.filter((file) => !hasFilter(file))
  // LFS keeps what it took, and its files are large.
  const filtered = candidates.filter((file) => hasFilter(file) && attributes.get(file.path)?.get('filter') !== 'lfs')
  const [sizes, unfaithful] = await Promise.all([
    readBlobSizes(git, workTree.commonDir, own),
    findUnfaithful(git, workTree.root, index, filtered),
  ])
  const willConvert = (file: SeenFile) => converts(attributes.get(file.path), settings)
  // A file with the size of its blob lost no line ends on its way in.
  const doubtful = own.filter((file, number) => file.sizeBytes !== sizes[number] || willConvert(file))
  const blobs = await hashFiles(git, workTree.root, [...doubtful, ...unfaithful])
  return [...blobs].filter(([file, blob]) => blob !== file.blob || willConvert(file) || hasFilter(file))
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
  const args = ['hash-object', '-w', '--no-filters', '--stdin-paths']
  const ids = listed.length === 0 ? [] : (await git(args, { cwd: root, input })).stdout.split('\n')
  const blobs = new Map(listed.map((file, number) => [file, ids[number] ?? '']))
  for (const file of there) {
    if (blobs.has(file)) continue
    blobs.set(file, await writeBlob(git, root, await readFile(placeOf(root, file.path), 'latin1')))
  }
  return blobs
}

async function storeList(
  { git, workTree }: RawQuestion,
  files: RawFiles['files'],
  known: RawFiles | null,
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
