// What differs between two trees: names, counted lines and, where asked for, git's own patch. Bounded: a huge file counts as
// binary, and a patch that would be too long leaves its largest files out and says which.
import type { CodeDiff, FileChange } from '../model/capture.ts'
import { asBytePath, type BytePath, showPath, splitRecords } from './byte-path.ts'
import type { Git } from './git.ts'
import { canBeArguments, createNameCheck } from './named-paths.ts'

export interface DiffOptions {
  /** Files or folders, relative to the root; all of them unless told. */
  readonly paths?: readonly string[]
  readonly patch?: boolean
  /** On unless told: a rename is a guess of git's. */
  readonly renames?: boolean
  /** Changed lines a patch may have in all. */
  readonly maxPatchLines?: number
}

const defaultMaxPatchLines = 50_000
const maxPatchPaths = 2000

/** Neither somebody's diff program nor the lines of a file of hundreds of megabytes. */
const config = { 'core.bigFileThreshold': '8m' }
const plainly = ['--no-ext-diff', '--no-textconv', '--ignore-submodules=none', '--no-color']

export async function diffTrees(git: Git, commonDir: string, a: string, b: string, options: DiffOptions = {}): Promise<CodeDiff> {
  const { paths = [], patch = false, renames = true, maxPatchLines = defaultMaxPatchLines } = options
  if (a === b) return { files: [], added: 0, removed: 0, patch: '' }
  const start = ['--literal-pathspecs', 'diff-tree', '-r', ...plainly, renames ? '--find-renames' : '--no-renames']
  const args = [...start, '-z', '--raw', '--numstat', '--no-abbrev', a, b, '--', ...paths]
  const changes = parseChanges((await git(args, { cwd: commonDir, config })).stdout)
  const files = changes.map(showChange)
  const sum = (count: (file: FileChange) => number | null) => files.reduce((total, file) => total + (count(file) ?? 0), 0)
  const diff = { files, added: sum((file) => file.added), removed: sum((file) => file.removed), patch: '' }
  if (!patch || changes.length === 0) return diff
  const { chosen, leftOut } = chooseForPatch(changes, maxPatchLines)
  const wanted = leftOut.length === 0 ? paths : chosen
  if (leftOut.length > 0 && chosen.length === 0) return { ...diff, leftOut }
  const text = await git([...start, '--patch', '--full-index', a, b, '--', ...wanted], { cwd: commonDir, config })
  const shown = isUtf8(text.stdout) ? {} : { patchBytes: Buffer.from(text.stdout, 'latin1') }
  return { ...diff, patch: showPath(text.stdout), ...shown, ...(leftOut.length === 0 ? {} : { leftOut }) }
}

/** The smallest first, as long as they fit. Paths become arguments, which cannot hold a byte that is not UTF-8. */
function chooseForPatch(changes: readonly TreeChange[], maxLines: number): { chosen: string[]; leftOut: string[] } {
  const linesOf = ({ added, removed }: TreeChange) => (added ?? 0) + (removed ?? 0)
  if (changes.reduce((total, change) => total + linesOf(change), 0) <= maxLines) return { chosen: [], leftOut: [] }
  const chosen: string[] = []
  const leftOut: string[] = []
  let left = maxLines
  for (const change of [...changes].sort((one, other) => linesOf(one) - linesOf(other))) {
    const names = [change.path, ...(change.from === undefined ? [] : [change.from])]
    left -= linesOf(change)
    if (left >= 0 && chosen.length < maxPatchPaths && names.every(isUtf8)) chosen.push(...names.map(showPath))
    else leftOut.push(showPath(change.path))
  }
  return { chosen, leftOut }
}

/** Of bytes as characters (latin1). */
function isUtf8(bytes: string): boolean {
  return Buffer.from(showPath(bytes)).toString('latin1') === bytes
}

/** One side of a change; mode 0: there is nothing. */
export interface Side {
  readonly mode: number
  readonly blob: string
}

export interface TreeChange {
  readonly path: BytePath
  readonly from?: BytePath
  readonly status: string
  readonly before: Side
  readonly after: Side
  readonly added: number | null
  readonly removed: number | null
}

/**
 * Every path that differs, as bytes; renames as what they are: one file gone, another one come. `paths` are names as they are
 * shown. Lines are counted only where asked for: all contents are read for that, the trees alone tell the rest.
 */
export async function listTreeChanges(
  git: Git,
  commonDir: string,
  a: string,
  b: string,
  paths: readonly string[] = [],
  { counts = false }: { readonly counts?: boolean } = {},
): Promise<TreeChange[]> {
  if (a === b) return []
  const numbers = counts ? ['--numstat'] : []
  const args = ['--literal-pathspecs', 'diff-tree', '-r', '-z', '--raw', ...numbers, '--no-abbrev', '--no-renames', ...plainly]
  if (canBeArguments(paths)) return parseChanges((await git([...args, a, b, '--', ...paths], { cwd: commonDir, config })).stdout)
  const isNamed = createNameCheck(paths)
  return parseChanges((await git([...args, a, b], { cwd: commonDir, config })).stdout).filter(({ path }) => isNamed(path))
}

/** `--raw` first, then `--numstat`, both with `-z`: `:modes blobs R90`, from, to; then `1<tab>2<tab>path`, or an empty path and both names. */
function parseChanges(output: string): TreeChange[] {
  const records = splitRecords(output)
  const changes: TreeChange[] = []
  const counts = new Map<string, { added: number | null; removed: number | null }>()
  for (let at = 0; at < records.length; ) {
    const record = records[at++] ?? ''
    if (record.startsWith(':')) {
      const [beforeMode = '', afterMode = '', before = '', after = '', status = ''] = record.slice(1).split(' ')
      const renamed = /^[RC]/.test(status)
      const from = renamed ? asBytePath(records[at++] ?? '') : undefined
      changes.push({
        path: asBytePath(records[at++] ?? ''),
        ...(from === undefined ? {} : { from }),
        status: status.slice(0, 1),
        before: { mode: Number.parseInt(beforeMode, 8), blob: before },
        after: { mode: Number.parseInt(afterMode, 8), blob: after },
        added: null,
        removed: null,
      })
    } else {
      const [added = '-', removed = '-', ...name] = record.split('\t')
      let path = name.join('\t')
      if (path === '') {
        path = records[at + 1] ?? ''
        at += 2
      }
      counts.set(path, { added: toCount(added), removed: toCount(removed) })
    }
  }
  return changes.map((change) => ({ ...change, ...counts.get(change.path) }))
}

function toCount(text: string): number | null {
  return text === '-' ? null : Number(text)
}

const executableMode = 0o100755
const plainMode = 0o100644

export function showChange({ path, from, status, before, after, added, removed }: TreeChange): FileChange {
  const isFile = ({ mode }: Side) => mode === executableMode || mode === plainMode
  const bit = isFile(before) && isFile(after) && before.mode !== after.mode ? { executable: after.mode === executableMode } : {}
  return { path: showPath(path), status, ...(from === undefined ? {} : { from: showPath(from) }), added, removed, ...bit }
}
