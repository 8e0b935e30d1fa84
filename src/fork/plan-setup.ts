// The set-up command of a workspace: the user's own, written down for the repository by its path. It runs what lies in the workspace
// (`npm ci` runs scripts of the repository), so it is found only for work trees that are surely of that repository.
import { realpath } from 'node:fs/promises'
import type { Notice, SetupPlan, WarningCode } from '../model/fork.ts'
import { showPath } from '../snapshots/byte-path.ts'
import { findRepositoryIfAny, type Repository } from '../snapshots/repository.ts'
import type { ForkContext } from './context.ts'

export interface SetupSource {
  /** The repository the workspace is made in. */
  readonly repository: Repository
  /** Roots of the work trees whose files it gets, though they may be gone; the one whose code it gets first. None: a bare one. */
  readonly roots: readonly string[]
}

export interface SetupChoice {
  readonly setup: SetupPlan | null
  readonly warnings: readonly Notice<WarningCode>[]
}

const defaultTimeoutSeconds = 600
const none: SetupChoice = { setup: null, warnings: [] }

export async function planSetup(context: ForkContext, { repository, roots }: SetupSource): Promise<SetupChoice> {
  const settings = Object.entries((await context.repositories?.()) ?? {}).filter(([, { setup }]) => setup !== undefined)
  if (settings.length === 0) return none
  const found = await Promise.all(
    settings.map(async ([path, setting]) => ({ setting, place: await findPlace(context, path, repository) })),
  )
  const mine = found.flatMap(({ setting, place }) => (place === null ? [] : [{ setting, place }]))
  const chosen = mine.find(({ place }) => place === roots[0]) ?? mine[0]
  if (chosen?.setting.setup === undefined) return none
  const { setup: command, setup_timeout: timeoutSeconds = defaultTimeoutSeconds } = chosen.setting
  const others = roots.filter((root) => root !== chosen.place)
  const known = others.length === 0 ? new Set<string>() : await listWorkTrees(context, repository)
  const foreign = others.find((root) => !known.has(root))
  if (foreign === undefined) return { setup: { command, timeoutSeconds, source: roots.at(-1) ?? chosen.place }, warnings: [] }
  const message = `The set-up command is not run: ${foreign} is not a work tree of ${chosen.place}.`
  return { setup: null, warnings: [{ code: 'workspace', message }] }
}

/** Where the configured path really is, if it is a work tree (or the git directory) of this very repository. */
async function findPlace({ git, env }: ForkContext, path: string, { commonDir }: Repository): Promise<string | null> {
  const place = await realpath(path.replace(/^~(?=\/|$)/, () => env.home)).catch(() => null)
  if (place === null) return null
  if (place === commonDir) return place
  // Asked there, not of the repository at hand: any repository can call the path one of its work trees.
  const there = await findRepositoryIfAny(git, place)
  return there?.commonDir === commonDir && there.root === place ? place : null
}

/** Those git knows, and those of ours that are gone. A folder whose `.git` merely leads here is not among them. */
async function listWorkTrees({ git, store }: ForkContext, { commonDir }: Repository): Promise<Set<string>> {
  const { stdout } = await git(['worktree', 'list', '--porcelain'], { cwd: commonDir })
  const listed = [...showPath(stdout).matchAll(/^worktree (.*)$/gm)].map(([, path = '']) => path)
  const ours = store()
    .workspaces.all()
    .filter((workspace) => workspace.commonDir === commonDir)
    .map(({ path }) => path)
  const real = await Promise.all(listed.map((path) => realpath(path).catch(() => path)))
  return new Set([...real, ...ours])
}
