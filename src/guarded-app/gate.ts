// SF6 in one place: may this folder, or this session, be seen. Inside is what lies within a root by its real path, and what belongs
// to a repository that a root lies in or that lies in a root: its worktrees are elsewhere, offshoot's own workspaces first of all.
import type { App } from '../app.ts'
import { isPlain, isWithin, realFolder } from '../lib/within.ts'
import type { CodePlace } from '../model/capture.ts'
import type { CatalogSession, Repository } from '../model/catalog.ts'
import { AppError } from '../model/error.ts'

export interface Gate {
  /** Real paths; not each of them need be let through where gates are joined. */
  readonly roots: readonly string[]
  letsFolder(folder: string | null): Promise<boolean>
  letsSession(session: Pick<CatalogSession, 'cwd' | 'repoId' | 'repoRoot' | 'repoClaimed'>): Promise<boolean>
  /** Captured code lies in a repository, wherever the work tree was that it was captured in. */
  letsCode(place: CodePlace): Promise<boolean>
}

export interface GateOptions {
  readonly roots: readonly string[]
  /** A repository at the home folder or above it (dotfiles) opens nothing: everything would be inside. */
  readonly home: string | null
  readonly now: () => number
}

/** A root that becomes a repository is one a moment later; a list of thousands must not ask thousands of times. */
const repositoriesHoldMs = 1000

export function createGate(app: Pick<App, 'repositoryOf'>, { roots: given, home, now }: GateOptions): Gate {
  const roots = given.map(requireRoot)
  const homeFolder = home === null ? null : realFolder(home)
  const isInRoot = (folder: string | null) => folder !== null && roots.some((root) => isWithin(folder, root))

  let opened: { readonly at: number; readonly ids: Promise<ReadonlySet<string>> } | undefined

  /** Ids of the repositories that the roots lie in. */
  function openedRepositories(): Promise<ReadonlySet<string>> {
    const at = now()
    if (opened === undefined || Math.abs(at - opened.at) > repositoriesHoldMs) opened = { at, ids: findOpened() }
    return opened.ids
  }

  async function findOpened(): Promise<ReadonlySet<string>> {
    const ids = new Set<string>()
    for (const root of roots) {
      const repository = await repositoryOf(root)
      if (repository !== null && !isTooWide(repository)) ids.add(repository.id)
    }
    return ids
  }

  /** A root that names such a repository itself says so on purpose. */
  function isTooWide({ root }: Repository): boolean {
    const top = realFolder(root)
    return homeFolder !== null && (top === null || isWithin(homeFolder, top)) && !roots.some((one) => one === top)
  }

  async function repositoryOf(folder: string): Promise<Repository | null> {
    try {
      return await app.repositoryOf(folder)
    } catch (error) {
      if (error instanceof AppError) return null // without git only the path counts
      throw error
    }
  }

  async function letsRepository(repository: Repository | null): Promise<boolean> {
    if (repository === null) return false
    // A claimed root opens its repository only where it was opened by name: anyone can put such a file into a project.
    return (!repository.claimed && isInRoot(realFolder(repository.root))) || (await openedRepositories()).has(repository.id)
  }

  async function letsFolder(folder: string | null): Promise<boolean> {
    const real = folder === null ? null : realFolder(folder)
    if (real === null) return false
    return isInRoot(real) || letsRepository(await repositoryOf(real))
  }

  return {
    roots,
    letsFolder,
    async letsCode({ commonDir, root }) {
      if (await letsFolder(commonDir)) return true
      // The repository of a submodule lies inside of another one's. A work tree that only claims a repository does not open it.
      const repository = (await letsFolder(root)) ? await repositoryOf(root) : null
      return repository !== null && !repository.claimed && realFolder(repository.root) === realFolder(root)
    },
    async letsSession({ cwd, repoId, repoRoot, repoClaimed = false }) {
      const real = cwd === null ? null : realFolder(cwd)
      if (isInRoot(real)) return true
      if (cwd !== null && real === null) return false
      const recorded = repoId === null || repoRoot === null ? null : { id: repoId, root: repoRoot, claimed: repoClaimed }
      if (recorded === null || !(await letsRepository(recorded))) return false
      // By a link one may stand in a folder that has nothing to do with the repository its name is in.
      return cwd === null || real === null || isPlain(cwd) || letsRepository(await repositoryOf(real))
    },
  }
}

/** Lets through what both let through. */
export function joinGates(first: Gate, second: Gate): Gate {
  return {
    roots: [...second.roots, ...first.roots],
    letsFolder: async (folder) => (await first.letsFolder(folder)) && second.letsFolder(folder),
    letsSession: async (session) => (await first.letsSession(session)) && second.letsSession(session),
    letsCode: async (place) => (await first.letsCode(place)) && second.letsCode(place),
  }
}

/** An empty or relative root would open wherever the server happens to have been started. */
function requireRoot(root: string): string {
  const real = realFolder(root)
  if (real === null) throw new AppError('usage', `"${root}" cannot be opened: give the absolute path of a folder.`)
  return real
}
