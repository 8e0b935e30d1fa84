// Says something else of a snapshot that is there already, once more is known: which turn it is, which commit was made of it.
import type { SnapshotMeta } from '../model/capture.ts'
import { asBytePath } from './byte-path.ts'
import { foldedPlace } from './folded.ts'
import type { Git } from './git.ts'
import { parseTree, readObjects } from './read-objects.ts'
import type { Snapshot } from './snapshot.ts'
import { makeTree, type NamedObject, writeBlob } from './write-objects.ts'
import { nameSnapshot, renderMeta } from './write-snapshot.ts'

/** Unless somebody else wrote the ref meanwhile: then it fails and nothing is changed. With another `ref`, the old one stays as it is. */
export async function writeMeta(
  git: Git,
  commonDir: string,
  snapshot: Snapshot,
  meta: SnapshotMeta,
  ref = snapshot.ref,
): Promise<Snapshot> {
  const [[wrapper], blob] = await Promise.all([
    readObjects(git, commonDir, [snapshot.id]),
    writeBlob(git, commonDir, renderMeta(meta)),
  ])
  if (wrapper?.type !== 'tree') throw new Error(`the snapshot ${snapshot.id} is gone`)
  const entries = parseTree(wrapper)
  const objects = [...entries].map(([name, { mode, id }]): NamedObject => {
    return { mode: mode === 0o40000 ? '040000' : '100644', id: name === 'meta' ? blob : id, name }
  })
  if (!entries.has(asBytePath('meta'))) throw new Error(`${snapshot.id} is no snapshot`)
  const id = await makeTree(git, commonDir, objects)
  if (ref === snapshot.ref) await replace(git, commonDir, snapshot, id)
  else await nameSnapshot(git, commonDir, ref, id, null)
  return { ...snapshot, ref, id, meta }
}

/** One that was folded gets its own ref again, until the next folding. */
async function replace(git: Git, commonDir: string, { ref, id: before }: Snapshot, id: string): Promise<void> {
  try {
    await nameSnapshot(git, commonDir, ref, id, before)
  } catch (error) {
    const [live, folded] = await readObjects(git, commonDir, [ref, foldedPlace(ref) ?? ref])
    if (live != null || folded?.id !== before) throw error
    await nameSnapshot(git, commonDir, ref, id, null)
  }
}
