// The submodules of a state of the code, and which of them a work tree has checked out: those a workspace can have too, without any
// network.
import { asBytePath, type BytePath, placeOf, showPath } from './byte-path.ts'
import type { Git } from './git.ts'
import { look } from './look.ts'
import { findMissing, listTree } from './read-objects.ts'
import { findRepositoryIfAny, type WorkTree } from './repository.ts'

export interface SubmoduleLink {
  readonly path: BytePath
  /** Its commit; `null`: the one it is at now. */
  readonly commit: string | null
}

export interface ReadySubmodule {
  readonly path: BytePath
  readonly commit: string
  /** Where it is checked out. */
  readonly source: WorkTree
}

export interface EmptySubmodule {
  readonly path: BytePath
  /** Why it cannot be checked out. */
  readonly reason: string
}

export interface Submodules {
  readonly ready: readonly ReadySubmodule[]
  readonly empty: readonly EmptySubmodule[]
}

const linkMode = 0o160000

/** Those of a commit or a tree. */
export async function listTreeLinks(git: Git, commonDir: string, treeish: string): Promise<SubmoduleLink[]> {
  const entries = await listTree(git, commonDir, treeish)
  return [...entries].filter(([, { mode }]) => mode === linkMode).map(([path, { id }]) => ({ path, commit: id }))
}

/** Those of a work tree as it is now. */
export async function listPresentLinks(git: Git, { root }: WorkTree): Promise<SubmoduleLink[]> {
  const { stdout } = await git(['ls-files', '--stage', '-z'], { cwd: root })
  const paths = new Set(Array.from(stdout.matchAll(/(?:^|\0)160000 \w+ \d\t([^\0]+)/g), ([, path = '']) => asBytePath(path)))
  return [...paths].map((path) => ({ path, commit: null }))
}

/** `from`: the work tree that may have them; `null`: there is none. What has no folder in it (deleted, sparse) is left out. */
export async function findSubmodules(git: Git, from: WorkTree | null, links: readonly SubmoduleLink[]): Promise<Submodules> {
  const ready: ReadySubmodule[] = []
  const empty: EmptySubmodule[] = []
  for (const { path, commit } of links) {
    if (from === null) {
      empty.push({ path, reason: 'there is no work tree that has it' })
      continue
    }
    if ((await look(placeOf(from.root, path))) === null) continue
    const found = await findOne(git, from, path, commit)
    if (typeof found === 'string') empty.push({ path, reason: found })
    else ready.push(found)
  }
  return { ready, empty }
}

async function findOne(git: Git, from: WorkTree, path: BytePath, wanted: string | null): Promise<ReadySubmodule | string> {
  const place = `${from.root}/${showPath(path)}`
  if (!placeOf(from.root, path).equals(Buffer.from(place))) return 'its path is not UTF-8'
  const source = await findRepositoryIfAny(git, place)
  if (source?.root !== place) return `it is not checked out in ${from.root}`
  const { stdout } = await git(['rev-parse', '--quiet', '--verify', 'HEAD^{commit}'], { cwd: place, accept: [0, 1] })
  const commit = wanted ?? stdout.trim()
  if (commit === '') return `it has no commit in ${from.root}`
  if ((await findMissing(git, source.commonDir, [commit])).length > 0) {
    return `its commit ${commit.slice(0, 12)} is not in ${place}`
  }
  return { path, commit, source: { ...source, root: place } }
}
