// Opens a snapshot to make a work tree of it: everything it holds besides the files themselves, and the commit to start from.
import type { SnapshotMeta } from '../model/capture.ts'
import { AppError } from '../model/error.ts'
import { asBytePath, type BytePath, showPath, splitRecords } from './byte-path.ts'
import type { Git } from './git.ts'
import { parseMeta } from './parse-meta.ts'
import { findMissing, type GitObject, parseTree, readObjects, type TreeEntry } from './read-objects.ts'

export interface OpenSnapshot {
  readonly meta: SnapshotMeta
  /** `wt`: tree of the whole work tree. */
  readonly tree: string
  /** `tm`: what of it lay on disk; the same tree unless the checkout was sparse. */
  readonly onDisk: string
  /** Bytes of the index; `null`: plainly that of HEAD, or of the turn's commit. */
  readonly index: Buffer | null
  /** Files whose bytes are not what git would write: their blobs, with the mode of the file. */
  readonly raw: ReadonlyMap<BytePath, TreeEntry>
}

export async function openSnapshot(git: Git, commonDir: string, id: string): Promise<OpenSnapshot> {
  const parts = ['', ':meta', ':index', ':raw', ':raw-paths'].map((part) => `${id}${part}`)
  const [wrapper, metaBlob, index, raw, rawPaths] = await readObjects(git, commonDir, parts)
  const entries = wrapper?.type === 'tree' ? parseTree(wrapper) : new Map<BytePath, TreeEntry>()
  const tree = entries.get(asBytePath('wt'))?.id
  const meta = metaBlob?.type === 'blob' ? parseMeta(showPath(metaBlob.content)) : null
  if (tree === undefined || meta === null) {
    throw new AppError('failed', `The snapshot ${id} is not in ${commonDir}.`, {
      hint: 'It may have been removed by `offshoot gc`.',
    })
  }
  return {
    meta,
    tree,
    onDisk: entries.get(asBytePath('tm'))?.id ?? tree,
    index: index?.type === 'blob' ? Buffer.from(index.content, 'latin1') : null,
    raw: pairRaw(raw ?? null, rawPaths ?? null),
  }
}

/** The blobs are named by running number, their paths stand in a list: a path may be longer than git's names are handy for. */
function pairRaw(tree: GitObject | null, list: GitObject | null): Map<BytePath, TreeEntry> {
  if (tree === null || list === null) return new Map()
  const blobs = [...parseTree(tree)].sort(([one], [other]) => Number(one) - Number(other))
  const paths = splitRecords(list.content).map(asBytePath)
  if (paths.length !== blobs.length)
    throw new AppError('failed', 'The snapshot is damaged: its raw files and their names do not fit.')
  return new Map(blobs.map(([, blob], number) => [asBytePath(paths[number] ?? ''), blob]))
}

export interface SnapshotBase {
  /** What the workspace's branch starts from; `null`: the repository had no commit. */
  readonly commit: string | null
  /**
   * `turn`: the commit made of this very turn, so the workspace is clean. `head`: HEAD as it was, with the changes on top.
   * `lost`: that commit was rewritten and pruned; a commit without a parent, made of the snapshot's files, takes its place.
   */
  readonly kind: 'turn' | 'head' | 'unborn' | 'lost'
  readonly note: string | null
}

/** Only looks: the commit of a `lost` base is named before it is written, so that a plan can tell it. */
export async function findSnapshotBase(
  git: Git,
  commonDir: string,
  snapshot: { readonly tree: string; readonly meta: SnapshotMeta },
): Promise<SnapshotBase> {
  const { commit, head } = snapshot.meta
  const named = [commit, head].filter((each) => each !== null)
  const missing = await findMissing(
    git,
    commonDir,
    named.map((each) => `${each}^{tree}`),
  )
  const isThere = (each: string | null) => each !== null && !missing.includes(`${each}^{tree}`)
  if (isThere(commit)) return { commit, kind: 'turn', note: null }
  if (head === null) return { commit: null, kind: 'unborn', note: null }
  if (isThere(head)) return { commit: head, kind: 'head', note: null }
  return {
    commit: await hashLostBase(git, commonDir, snapshot, []),
    kind: 'lost',
    note: `Commit ${head.slice(0, 12)} is gone from the repository: the workspace starts from a commit of the snapshot's files alone.`,
  }
}

export async function writeLostBase(git: Git, commonDir: string, snapshot: Pick<OpenSnapshot, 'tree' | 'meta'>): Promise<void> {
  await hashLostBase(git, commonDir, snapshot, ['-w'])
}

/** The same bytes each time, hence the same id. */
async function hashLostBase(
  git: Git,
  cwd: string,
  { tree, meta }: Pick<OpenSnapshot, 'tree' | 'meta'>,
  options: readonly string[],
): Promise<string> {
  const who = `offshoot <offshoot@localhost> ${Math.floor((meta.endedAt ?? meta.startedAt ?? 0) / 1000)} +0000`
  const input = `tree ${tree}\nauthor ${who}\ncommitter ${who}\n\noffshoot: a snapshot whose commit ${meta.head} is gone\n`
  return (await git(['hash-object', '-t', 'commit', ...options, '--stdin'], { cwd, input })).stdout.trim()
}
