// Opens a snapshot to make a work tree of it: everything it holds besides the files themselves, and the commit to start from.
import type { SnapshotMeta } from '../model/capture.ts'
import { AppError } from '../model/error.ts'
import { asBytePath, type BytePath, showPath, splitRecords } from './byte-path.ts'
import type { Git } from './git.ts'
import { parseMeta } from './parse-meta.ts'
import { findMissing, type GitObject, parseTree, readObjects, type TreeEntry } from './read-objects.ts'
import { judgeOperation, parseOperation, type StoredOperation } from './stored-operation.ts'

export interface OpenSnapshot {
  readonly id: string
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
      hint: 'The clean-up of old snapshots may have removed it.',
    })
  }
  return {
    id,
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
  if (paths.length !== blobs.length || !paths.every(isInside)) {
    throw new AppError('failed', 'The snapshot is damaged: its raw files have no places in a work tree.')
  }
  return new Map(blobs.map(([, blob], number) => [asBytePath(paths[number] ?? ''), blob]))
}

/** git checks the paths of trees, nobody but us those of this list; and a repository may come from anywhere. */
function isInside(path: BytePath): boolean {
  return path.split('/').every((step) => !['', '.', '..'].includes(step) && step.toLowerCase() !== '.git')
}

export interface SnapshotBase {
  /** What the workspace's branch starts from; `null`: the repository had no commit. */
  readonly commit: string | null
  /**
   * `turn`: the commit made of this very turn, so the workspace is clean. `head`: HEAD as it was, with the changes on top.
   * `lost`: that commit was rewritten and pruned; one without a parent, of the same files, takes its place. `bare`: not even
   * its files are known, and the commit is made of the snapshot's own.
   */
  readonly kind: 'turn' | 'head' | 'unborn' | 'lost' | 'bare'
  readonly note: string | null
  /** What was in progress, and whether the workspace can go on with it. */
  readonly operation: StoredOperation | null
}

type Source = Pick<OpenSnapshot, 'id' | 'tree' | 'meta'>

/** The index a work tree of this snapshot starts with; `null`: that of the base commit. The commit of a turn has everything staged. */
export function indexToKeep({ index }: OpenSnapshot, { kind }: SnapshotBase): Buffer | null {
  return kind === 'head' || kind === 'unborn' || kind === 'lost' ? index : null
}

/** Only looks: the commit of a `lost` base is named before it is written, so that a plan can tell it. */
export async function findSnapshotBase(git: Git, commonDir: string, snapshot: Source): Promise<SnapshotBase> {
  const [base, [stored]] = await Promise.all([
    findBase(git, commonDir, snapshot),
    readObjects(git, commonDir, [`${snapshot.id}:operation`]),
  ])
  const found = stored?.type === 'blob' ? parseOperation(stored.content) : null
  if (found === null) return { ...base, operation: null }
  const { operation, note } = await judgeOperation(git, commonDir, found, base.kind === 'head')
  const notes = [base.note, note].filter((each) => each !== null)
  return { ...base, operation, note: notes.length === 0 ? null : notes.join(' ') }
}

async function findBase(git: Git, commonDir: string, snapshot: Source): Promise<Omit<SnapshotBase, 'operation'>> {
  const { commit, head } = snapshot.meta
  const named = [commit, head].filter((each) => each !== null).map((each) => `${each}^{tree}`)
  const missing = named.length === 0 ? [] : await findMissing(git, commonDir, named)
  const isThere = (each: string | null) => each !== null && !missing.includes(`${each}^{tree}`)
  if (isThere(commit)) return { commit, kind: 'turn', note: null }
  if (head === null) return { commit: null, kind: 'unborn', note: null }
  if (isThere(head)) return { commit: head, kind: 'head', note: null }
  const lost = await hashLostBase(git, commonDir, snapshot, [])
  const note = `Commit ${head.slice(0, 12)} is gone from the repository: the workspace starts from a commit without history`
  if (lost.ofHead) return { commit: lost.id, kind: 'lost', note: `${note}, of the same files.` }
  return { commit: lost.id, kind: 'bare', note: `${note}, of all files of the snapshot; what was staged is not told apart.` }
}

export async function writeLostBase(git: Git, commonDir: string, snapshot: Source): Promise<void> {
  await hashLostBase(git, commonDir, snapshot, ['-w'])
}

/** The same bytes each time, hence the same id. */
async function hashLostBase(
  git: Git,
  cwd: string,
  { id, tree, meta }: Source,
  options: readonly string[],
): Promise<{ id: string; ofHead: boolean }> {
  const [base] = await readObjects(git, cwd, [`${id}:base`])
  const who = `offshoot <offshoot@localhost> ${Math.floor((meta.endedAt ?? meta.startedAt ?? 0) / 1000)} +0000`
  const message = `offshoot: in place of commit ${meta.head}, which is gone\n`
  const input = `tree ${base?.id ?? tree}\nauthor ${who}\ncommitter ${who}\n\n${message}`
  const { stdout } = await git(['hash-object', '-t', 'commit', ...options, '--stdin'], { cwd, input })
  return { id: stdout.trim(), ofHead: base?.type === 'tree' }
}
