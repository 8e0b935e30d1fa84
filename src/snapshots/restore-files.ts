// Brings files of a work tree back to what they were in another state: only those that differ, only those asked for. The
// person's index is not written, links are not followed, and whatever the present state's snapshot does not hold stays.

import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { explainMachine, isDiskFull } from '../lib/machine-fault.ts'
import type { RestoreResult } from '../model/capture.ts'
import { asBytePath, type BytePath, joinRecords, showPath, splitRecords } from './byte-path.ts'
import { failedFilterOf, failedNamesOf } from './failed-filter.ts'
import type { Git } from './git.ts'
import { moveFiles } from './move-files.ts'
import type { TreeEntry } from './read-objects.ts'
import { type NotRemoved, removeFiles } from './remove-files.ts'
import type { WorkTree } from './repository.ts'
import { type CodeTree, planSteps, type RestoreChange } from './restore-plan.ts'
import { makeShortId } from './short-id.ts'
import { checkOutFiles, type FilesToWrite, isAttributeFile, type Unwritten, writeRawFiles } from './write-files.ts'

/** Of deletions and writings. */
export type OnRestored = (done: number, total: number) => void

/** `from` must be the snapshot that can bring the present state back: it is what makes this safe. */
export async function restoreFiles(
  git: Git,
  workTree: WorkTree,
  from: CodeTree,
  to: CodeTree,
  paths: readonly string[] = [],
  onRestored: OnRestored = () => undefined,
): Promise<Pick<RestoreResult, 'restored' | 'refused'>> {
  const { changes, refused } = await planSteps(git, workTree, from, to, paths)
  let done = 0
  const onEach = () => onRestored(++done, changes.length)
  await removeLeft(workTree.gitDir)
  // Attributes are read from the work tree: those that say how to write the others come first.
  const first = await restoreSome(git, workTree, changes.filter(isAttribute), onEach)
  const rest = await restoreSome(
    git,
    workTree,
    changes.filter((change) => !isAttribute(change)),
    onEach,
  )
  return {
    restored: [...first.restored, ...rest.restored].map(showPath).sort(),
    refused: [...refused, ...first.refused, ...rest.refused].map(({ path, reason }) => ({ path: showPath(path), reason })),
  }
}

function isAttribute({ path }: RestoreChange): boolean {
  return isAttributeFile(path)
}

const scratchPrefix = 'offshoot-restore-'

/** Of a restore that was killed: only one at a time is at work in a work tree. */
async function removeLeft(gitDir: string): Promise<void> {
  const left = (await readdir(gitDir)).filter((name) => name.startsWith(scratchPrefix))
  for (const name of left) await rm(join(gitDir, name), { recursive: true, force: true })
}

interface Outcome {
  readonly restored: readonly BytePath[]
  readonly refused: readonly NotRemoved[]
}

/** All is written beside the work tree first: a filter that fails, or a full disk, has changed nothing then. */
async function restoreSome(
  git: Git,
  { root, gitDir }: WorkTree,
  changes: readonly RestoreChange[],
  onEach: () => void,
): Promise<Outcome> {
  if (changes.length === 0) return { restored: [], refused: [] }
  const own = join(gitDir, `${scratchPrefix}${makeShortId()}`)
  const into = join(own, 'files')
  await mkdir(into, { recursive: true })
  try {
    const writes = changes.filter(({ after }) => after.mode !== 0)
    const raw = new Map(writes.flatMap(({ path, raw: entry }) => (entry === null ? [] : [[path, entry]])))
    const plain = new Map(writes.flatMap(({ path, after, raw: entry }) => (entry === null ? [[path, entryOf(after)]] : [])))
    const files = { git, root, scratch: join(own, 'index'), entries: plain, into, ofRepository: true }
    const unwritten = [...(await checkOutAll(files)), ...(await writeRawFiles(git, root, raw, into))]
    refuseFull(unwritten)
    const missed = new Set(unwritten.map(({ path }) => path))
    const deletions = changes.filter(({ after }) => after.mode === 0).map(({ path }) => path)
    const { removed, failed } = await removeFiles(root, deletions, onEach)
    const ready = writes.filter(({ path }) => !missed.has(path)).map(({ path, before }) => ({ path, known: before.mode !== 0 }))
    const { moved, blocked } = await moveFiles(into, root, ready, onEach)
    return { restored: [...removed, ...moved], refused: [...failed, ...blocked, ...unwritten] }
  } finally {
    await rm(own, { recursive: true, force: true })
  }
}

/** What does not fit for one file does not fit for the next: better nothing than a part. */
function refuseFull(unwritten: readonly Unwritten[]): void {
  const full = unwritten.find(({ error }) => isDiskFull(error))
  if (full !== undefined) throw explainMachine(full.error, { path: showPath(full.path) })
}

function entryOf({ mode, blob }: RestoreChange['after']): TreeEntry {
  return { mode, id: blob }
}

/** From then on all files of that filter are left, not only the one it failed at: each costs a whole attempt. */
const maxFilterTries = 8

/** A file whose filter fails stays as it is: what git stores for it is not what belongs there. */
async function checkOutAll(files: FilesToWrite & { readonly into: string }, tries = 0): Promise<Unwritten[]> {
  try {
    if (tries > 0) await emptyFolder(files.into)
    return await checkOutFiles(files)
  } catch (error) {
    const names = await failedNamesOf(files.git, error)
    const named = tries < maxFilterTries ? failedFilterOf(error)?.path : undefined
    const stuck =
      named === undefined
        ? await listFiltered(files, names)
        : [...files.entries.keys()].filter((path) => showPath(path) === named)
    if (stuck.length === 0) throw error
    const out = new Set(stuck)
    const rest = new Map([...files.entries].filter(([path]) => !out.has(path)))
    const left = stuck.map((path) => ({ path, reason: `its filter ${names.join(' or ')} failed` }))
    return [...left, ...(await checkOutAll({ ...files, entries: rest }, tries + 1))]
  }
}

async function emptyFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder)
}

async function listFiltered({ git, root, entries }: FilesToWrite, names: readonly string[]): Promise<BytePath[]> {
  const input = joinRecords(entries.keys())
  const records = splitRecords((await git(['check-attr', '-z', '--stdin', 'filter'], { cwd: root, input })).stdout)
  return records.filter((_, at) => at % 3 === 0 && names.includes(records[at + 2] ?? '')).map(asBytePath)
}
