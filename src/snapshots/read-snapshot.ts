// Reads snapshots back from the repository that holds them, folded or not: all of a prefix with a few processes, however many
// there are.
// Whatever under refs/offshoot/ is not a snapshot of ours is passed over.
import { showPath } from './byte-path.ts'
import { foldedPlace, readFolded } from './folded.ts'
import type { Git } from './git.ts'
import { parseMeta } from './parse-meta.ts'
import { type GitObject, parseTree, readObjects } from './read-objects.ts'
import { type Snapshot, safetyRefs, snapshotRef } from './snapshot.ts'

type Ref = Pick<Snapshot, 'ref' | 'id'>

/** In the order of their refs, folded or not. */
export async function listSnapshots(git: Git, commonDir: string, prefix = 'refs/offshoot/'): Promise<Snapshot[]> {
  return readAll(git, commonDir, await listRefs(git, commonDir, prefix))
}

/** Turns with a ref of their own. */
export async function listUnfolded(git: Git, commonDir: string): Promise<Snapshot[]> {
  const refs = await listLiveRefs(git, commonDir)
  return readAll(
    git,
    commonDir,
    refs.filter(({ ref }) => !ref.startsWith(safetyRefs)),
  )
}

/** With what each snapshot is now, read or not. */
async function listRefs(git: Git, commonDir: string, prefix = 'refs/offshoot/'): Promise<Ref[]> {
  const live = await listLiveRefs(git, commonDir, prefix)
  if (prefix === safetyRefs) return live
  const { snapshots } = await readFolded(git, commonDir)
  const all = new Map([...snapshots].filter(([ref]) => ref.startsWith(prefix)))
  for (const { ref, id } of live) all.set(ref, id)
  return [...all].map(([ref, id]) => ({ ref, id })).sort((one, other) => (one.ref < other.ref ? -1 : 1))
}

export async function listLiveRefs(git: Git, commonDir: string, prefix = 'refs/offshoot/'): Promise<Ref[]> {
  // By the end of the line, not `-z`, which for-each-ref has not got; a ref holds no line break.
  const { stdout } = await git(['for-each-ref', '--format=%(objectname) %(refname)', prefix], { cwd: commonDir })
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => ({ id: line.slice(0, line.indexOf(' ')), ref: showPath(line.slice(line.indexOf(' ') + 1)) }))
}

async function readAll(git: Git, commonDir: string, refs: readonly Ref[]): Promise<Snapshot[]> {
  const names = refs.flatMap(({ id }) => [id, `${id}:meta`])
  const objects = await readObjects(git, commonDir, names)
  const snapshots = refs.map(({ ref }, number) => {
    const found = parseSnapshot(objects[2 * number], objects[2 * number + 1])
    return found !== null && isPlaceOf(ref, found) ? { ...found, ref } : null
  })
  return snapshots.filter((snapshot) => snapshot !== null)
}

/** By the object's id, or by its ref. Of an id the ref is told that its meta names: it may hold a newer state by now. */
export async function readSnapshot(git: Git, commonDir: string, idOrRef: string): Promise<Snapshot | null> {
  const byRef = idOrRef.startsWith('refs/offshoot/')
  if (!byRef && !/^([0-9a-f]{40}|[0-9a-f]{64})$/.test(idOrRef)) return null
  const folded = byRef ? foldedPlace(idOrRef) : null
  const names = [idOrRef, `${idOrRef}:meta`, ...(folded === null ? [] : [folded, `${folded}/meta`])]
  const [object, meta, foldedObject, foldedMeta] = await readObjects(git, commonDir, names)
  // Folded between the two questions, it has an object and no meta.
  const found = parseSnapshot(object, meta) ?? parseSnapshot(foldedObject, foldedMeta)
  if (found === null || !byRef) return found
  return isPlaceOf(idOrRef, found) ? { ...found, ref: idOrRef } : null
}

function parseSnapshot(object: GitObject | null | undefined, blob: GitObject | null | undefined): Snapshot | null {
  if (object?.type !== 'tree' || blob?.type !== 'blob') return null
  const tree = rootsOf(object).get('wt')
  const meta = parseMeta(showPath(blob.content))
  return tree === undefined || meta === null ? null : { ref: snapshotRef(meta), id: object.id, tree, meta }
}

/** A state kept before a restore lies elsewhere than the turn it says it is of. */
function isPlaceOf(ref: string, { ref: own }: Snapshot): boolean {
  return ref === own || ref.startsWith(safetyRefs)
}

function rootsOf(object: GitObject): Map<string, string> {
  return new Map([...parseTree(object)].map(([name, { id }]) => [name, id]))
}
