// Brings files of a work tree back to what they were in another state: only those that differ, only those asked for. The
// person's index is not written, links are not followed, and whatever the present state's snapshot does not hold stays.
import { readdir, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { RestoreResult } from '../model/capture.ts'
import { asBytePath, type BytePath, joinRecords, placeOf, showPath, splitRecords } from './byte-path.ts'
import { failedFilterOf, failedNamesOf } from './failed-filter.ts'
import type { Git } from './git.ts'
import { keepingUnwritten } from './keep-unwritten.ts'
import { look } from './look.ts'
import type { TreeEntry } from './read-objects.ts'
import { type NotRemoved, removeFiles } from './remove-files.ts'
import type { WorkTree } from './repository.ts'
import { type CodeTree, planSteps, type RestoreChange } from './restore-plan.ts'
import { whyNotWritten } from './restore-safety.ts'
import { makeShortId } from './short-id.ts'
import { checkOutFiles, type FilesToWrite, type Unwritten, writeRawFiles } from './write-files.ts'

/** `from` must be the snapshot that can bring the present state back: it is what makes this safe. */
export async function restoreFiles(
  git: Git,
  workTree: WorkTree,
  from: CodeTree,
  to: CodeTree,
  paths: readonly string[] = [],
): Promise<Pick<RestoreResult, 'restored' | 'refused'>> {
  const { root, gitDir } = workTree
  const { changes, refused } = await planSteps(git, workTree, from, to, paths)
  const deletions = changes.filter(({ after }) => after.mode === 0).map(({ path }) => path)
  const { removed, failed } = await removeFiles(root, deletions)
  const writes = changes.filter(({ after }) => after.mode !== 0)
  const { ready, blocked } = await makeRoom(root, writes)
  const raw = new Map(ready.flatMap(({ path, raw: entry }) => (entry === null ? [] : [[path, entry]])))
  const plain = new Map(ready.flatMap(({ path, after, raw: entry }) => (entry === null ? [[path, entryOf(after)]] : [])))
  const scratch = join(gitDir, `offshoot-restore-${makeShortId()}`)
  const unwritten = [
    ...(await keepingUnwritten(root, `${scratch}.kept`, (await hasFilters(git, root)) ? [...plain.keys()] : [], () =>
      checkOutAll({ git, root, scratch, entries: plain, ofRepository: true }),
    )),
    ...(await writeRawFiles(git, root, raw)),
  ]
  const missed = new Set(unwritten.map(({ path }) => path))
  const written = ready.map(({ path }) => path).filter((path) => !missed.has(path))
  return {
    restored: [...removed, ...written].map(showPath).sort(),
    refused: [...refused, ...failed, ...blocked, ...unwritten].map(({ path, reason }) => ({ path: showPath(path), reason })),
  }
}

/** After the deletions nothing may be in the way any more: looked at again, because something may have come since. */
async function makeRoom(
  root: string,
  writes: readonly RestoreChange[],
): Promise<{ ready: RestoreChange[]; blocked: NotRemoved[] }> {
  const ready: RestoreChange[] = []
  const blocked: NotRemoved[] = []
  for (const change of writes) {
    const { path, before } = change
    const reason = await whyNotWritten(root, path, before.mode !== 0, new Set())
    if (reason !== null) blocked.push({ path, reason })
    else {
      await removeEmptyFolders(root, path)
      ready.push(change)
    }
  }
  return { ready, blocked }
}

/** Empty ones only, the inner ones first. */
async function removeEmptyFolders(root: string, path: BytePath): Promise<void> {
  const place = placeOf(root, path)
  if (!(await look(place))?.isDirectory()) return
  for (const name of await readdir(place, { encoding: 'latin1' })) await removeEmptyFolders(root, asBytePath(`${path}/${name}`))
  await rmdir(place)
}

function entryOf({ mode, blob }: RestoreChange['after']): TreeEntry {
  return { mode, id: blob }
}

async function hasFilters(git: Git, cwd: string): Promise<boolean> {
  return (await git(['config', '--get-regexp', '^filter\\.'], { cwd, accept: [0, 1] })).exitCode === 0
}

/** From then on all files of that filter are left, not only the one it failed at: each costs a whole attempt. */
const maxFilterTries = 8

/** A file whose filter fails stays as it is: what git stores for it is not what belongs there. */
async function checkOutAll(files: FilesToWrite, tries = 0): Promise<Unwritten[]> {
  try {
    return await checkOutFiles(files)
  } catch (error) {
    const names = await failedNamesOf(files.git, error)
    const named = tries < maxFilterTries ? failedFilterOf(error)?.path : undefined
    const stuck =
      named === undefined
        ? await listFiltered(files, names)
        : [...files.entries.keys()].filter((path) => showPath(path) === named)
    if (stuck.length === 0) throw error
    const rest = new Map([...files.entries].filter(([path]) => !stuck.includes(path)))
    const left = stuck.map((path) => ({ path, reason: `its filter ${names.join(' or ')} failed` }))
    return [...left, ...(await checkOutAll({ ...files, entries: rest }, tries + 1))]
  }
}

async function listFiltered({ git, root, entries }: FilesToWrite, names: readonly string[]): Promise<BytePath[]> {
  const input = joinRecords(entries.keys())
  const records = splitRecords((await git(['check-attr', '-z', '--stdin', 'filter'], { cwd: root, input })).stdout)
  return records.filter((_, at) => at % 3 === 0 && names.includes(records[at + 2] ?? '')).map(asBytePath)
}
