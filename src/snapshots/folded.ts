// Older snapshots share one ref: ten thousand refs of their own made `git log --all` a hundred times slower and lay on 79 MB of
// disk. `refs/offshoot/folded` names a tree that holds each under `<agent>/<session>/<turn key>.<moment>`; a ref of its own
// (see snapshot.ts) is newer than what is folded under its name, and wins. Whoever reads both looks at the ref first: it is
// deleted only once the folded one is there, so that this order misses nothing.
import { joinRecords } from './byte-path.ts'
import type { Git } from './git.ts'
import { parseTree, readObjects } from './read-objects.ts'

export const foldedRef = 'refs/offshoot/folded'

export interface Folded {
  /** What the ref names; `null`: nothing was folded yet. */
  readonly root: string | null
  /** Ids by the ref each snapshot had. */
  readonly snapshots: ReadonlyMap<string, string>
}

/** Where the snapshot of a ref lies, to be read as any object; `null` for what is never folded. */
export function foldedPlace(ref: string): string | null {
  const [, , agent, session, turn, moment, ...more] = ref.split('/')
  if (moment === undefined || more.length > 0) return null
  return `${foldedRef}:${agent}/${session}/${turn}.${moment}`
}

export async function readFolded(git: Git, commonDir: string): Promise<Folded> {
  const [root] = await readObjects(git, commonDir, [foldedRef])
  if (root?.type !== 'tree') return { root: null, snapshots: new Map() }
  const agents = await readTrees(git, commonDir, [['', root.id]])
  const sessions = await readTrees(git, commonDir, agents)
  const names = await readTrees(git, commonDir, sessions)
  const snapshots = names.map(([name, id]): [string, string] => {
    const dot = name.lastIndexOf('.')
    return [`refs/offshoot/${name.slice(0, dot)}/${name.slice(dot + 1)}`, id]
  })
  return { root: root.id, snapshots: new Map(snapshots) }
}

type Named = readonly [name: string, id: string]

async function readTrees(git: Git, commonDir: string, trees: readonly Named[]): Promise<Named[]> {
  const ids = trees.map(([, id]) => id)
  const objects = await readObjects(git, commonDir, ids)
  return trees.flatMap(([name], number) => {
    const object = objects[number]
    // Silence here would fold the rest anew without them.
    if (object?.type !== 'tree') throw new Error(`the tree ${ids[number]} of folded snapshots is gone from ${commonDir}`)
    return [...parseTree(object)].map(([entry, { id }]): Named => [name === '' ? entry : `${name}/${entry}`, id])
  })
}

/** Only the trees, under no ref yet; the id of their root, `null` for none at all. */
export async function writeFolded(git: Git, cwd: string, snapshots: ReadonlyMap<string, string>): Promise<string | null> {
  if (snapshots.size === 0) return null
  const names = [...snapshots].map(([ref, id]): Named => [foldedPlace(ref)?.slice(foldedRef.length + 1) ?? '', id])
  const sessions = await writeTrees(git, cwd, names)
  const agents = await writeTrees(git, cwd, sessions)
  const [root] = await writeTrees(git, cwd, agents)
  return root?.[1] ?? null
}

/** One level up: a tree of each folder, all by one process. */
async function writeTrees(git: Git, cwd: string, names: readonly Named[]): Promise<Named[]> {
  const folders = new Map<string, string[]>()
  for (const [path, id] of names) {
    const slash = path.lastIndexOf('/')
    const folder = path.slice(0, Math.max(0, slash))
    const records = folders.get(folder) ?? []
    records.push(`040000 tree ${id}\t${path.slice(slash + 1)}`)
    folders.set(folder, records)
  }
  // An empty record ends a tree.
  const input = joinRecords([...folders.values()].flatMap((records) => [...records, '']))
  const { stdout } = await git(['mktree', '-z', '--batch'], { cwd, input, config: durable })
  const ids = stdout.split('\n').filter((id) => id !== '')
  if (ids.length !== folders.size) throw new Error('git made another number of trees than it was told of')
  return [...folders.keys()].map((folder, number): Named => [folder, ids[number] ?? ''])
}

/** They take the place of what is deleted a moment later: on the disk before that. */
export const durable = { 'core.fsync': 'loose-object,reference' }
