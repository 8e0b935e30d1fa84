// What a workspace needs besides its code to run at once, taken from the work tree it is made from: submodules that are checked out
// there, and the ignored files its .worktreeinclude names. Nothing of it is fetched, and what cannot be had is said, not fatal.

import { readdir, rm } from 'node:fs/promises'
import { toMachineFault } from '../lib/machine-fault.ts'
import { AppError } from '../model/error.ts'
import { asBytePath, type BytePath, showPath, splitRecords } from './byte-path.ts'
import { cloneModule, placeModule } from './clone-module.ts'
import { createFolderMaker } from './copy-files.ts'
import { findSubmodules, type ReadySubmodule, type SubmoduleLink } from './find-submodules.ts'
import type { Git } from './git.ts'
import { look } from './look.ts'
import { findRepository, type WorkTree } from './repository.ts'
import { copyIncluded } from './worktree-include.ts'

export interface ExtrasRequest {
  /** The work tree they come from; `null`: there is none. */
  readonly from: WorkTree | null
  readonly child: WorkTree
  /** Submodules of the state the child was filled with. */
  readonly links: readonly SubmoduleLink[]
  readonly inside: SubmoduleFilling
}

/** How the work tree of a submodule is filled, whose HEAD is at this commit. */
export interface SubmoduleFilling {
  fill(source: WorkTree, child: WorkTree, commit: string): Promise<{ readonly differences: readonly string[] }>
  /** Submodules it has itself. */
  links(source: WorkTree, commit: string): Promise<readonly SubmoduleLink[]>
}

export interface Extras {
  /** Submodules that were checked out. */
  readonly submodules: readonly string[]
  readonly included: number
  readonly differences: readonly string[]
  /** Submodules the source cannot give, with the reason: known beforehand. */
  readonly missing: readonly string[]
  /** What went wrong. */
  readonly notes: readonly string[]
}

export async function addExtras(git: Git, request: ExtrasRequest): Promise<Extras> {
  const { from, child, links } = request
  const { ready, empty } = await findSubmodules(git, from, links)
  const names = ready.length === 0 ? new Map<BytePath, string>() : await readNames(git, child)
  const submodules: string[] = []
  const differences: string[] = []
  const missing = empty.map(({ path, reason }) => describeEmpty(path, reason))
  const notes: string[] = []
  let included = 0
  for (const submodule of ready) {
    const { path } = submodule
    const within = (name: string) => `${showPath(path)}/${name}`
    try {
      const filled = await fillSubmodule(git, request, submodule, names)
      submodules.push(showPath(path), ...filled.submodules.map(within))
      differences.push(...filled.differences.map(within))
      missing.push(...filled.missing.map((note) => `In ${showPath(path)}: ${note}`))
      notes.push(...filled.notes.map((note) => `In ${showPath(path)}: ${note}`))
      included += filled.included
    } catch (error) {
      notes.push(describeEmpty(path, explain(error)))
    }
  }
  const files = from === null ? { copied: 0, notes: [] } : await copyIncluded(git, from, child)
  return { submodules, included: included + files.copied, differences, missing, notes: [...notes, ...files.notes] }
}

function describeEmpty(path: BytePath, reason: string): string {
  return `The submodule ${showPath(path)} stays an empty folder: ${reason}.`
}

/** Git and the file system may fail; a bug stays one, and so does a full disk. */
function explain(error: unknown): string {
  const fault = toMachineFault(error)
  if (fault === null || fault.code === 'disk_full') throw error
  return fault.message.replace(/\.$/, '')
}

async function fillSubmodule(
  git: Git,
  { child, inside }: ExtrasRequest,
  submodule: ReadySubmodule,
  names: ReadonlyMap<BytePath, string>,
): Promise<Extras> {
  const { path, commit, source } = submodule
  const name = names.get(path) ?? showPath(path)
  const gitDir = placeModule(child.gitDir, name, [...names.values()])
  const place = `${child.root}/${showPath(path)}`
  await createFolderMaker(child.root)(path)
  if ((await readdir(place)).length > 0) throw new AppError('refused', 'its folder is not empty')
  if ((await look(gitDir)) !== null) throw new AppError('refused', `${gitDir} exists already`)
  try {
    await cloneModule(git, submodule, gitDir, place)
    const made = await findRepository(git, place)
    if (made.root !== place) throw new AppError('failed', 'git does not find its work tree')
    const work = { ...made, root: place }
    const { differences } = await inside.fill(source, work, commit)
    const links = await inside.links(source, commit)
    const more = await addExtras(git, { from: source, child: work, links, inside })
    return { ...more, differences: [...differences, ...more.differences] }
  } catch (error) {
    for (const entry of await readdir(place)) await rm(`${place}/${entry}`, { recursive: true, force: true })
    await rm(gitDir, { recursive: true, force: true })
    throw error
  }
}

/** By path, as the child's .gitmodules has them; not through a link. */
async function readNames(git: Git, { root }: WorkTree): Promise<Map<BytePath, string>> {
  const file = `${root}/.gitmodules`
  if (!(await look(file))?.isFile()) return new Map()
  const args = ['config', '--file', file, '-z', '--get-regexp', '^submodule\\..*\\.path$']
  const { stdout } = await git(args, { cwd: root, accept: [0, 1] })
  return new Map(
    splitRecords(stdout).map((record) => {
      const [key = '', path = ''] = record.split('\n')
      return [asBytePath(path.replace(/\/$/, '')), showPath(key.slice('submodule.'.length, -'.path'.length))] as const
    }),
  )
}
