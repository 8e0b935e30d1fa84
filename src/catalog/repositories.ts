// Which repository a folder belongs to, remembered for the day the folder is moved or gone.
// Identity is the common dir plus the root commit. A checkout that turns up at a new place takes over an identity only when
// the root commit is the same AND the old common dir no longer exists. Two clones that both exist stay apart, although they
// share a root commit: so do all projects begun from one template, and mixing those would show a person foreign sessions.
import { existsSync, realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { findGitPlace, findProjectAround, type GitPlace, type LostPlace } from '../lib/git-place.ts'
import { confirmsLinkedTree } from '../lib/git-proof.ts'
import { realFolder } from '../lib/within.ts'
import type { RepositoryRecord } from '../store/repositories.ts'
import type { CatalogContext } from './context.ts'
import { readRootCommit } from './root-commit.ts'

export interface Repositories {
  /** Id of the repository `folder` lies in, or lay in; `null` outside git. */
  identify(folder: string): Promise<string | null>
  /** True when a repository or a folder was met for the first time. */
  readonly grew: boolean
}

/** Made anew for every refresh: what is looked up is kept no longer than that. */
export function createRepositories(context: CatalogContext): Repositories {
  const table = context.store().repositories
  const records = new Map(table.all().map((record) => [record.id, record]))
  const folders = new Map(table.folders().map(({ folder, repoId }) => [folder, repoId]))
  const answers = new Map<string, Promise<string | null>>()
  const home = realFolder(context.env.home)
  let grew = false
  let queue: Promise<unknown> = Promise.resolve()

  function put(record: RepositoryRecord): string {
    records.set(record.id, record)
    table.put(record)
    remember(record.root, record.id)
    remember(record.commonDir, record.id)
    return record.id
  }

  function remember(folder: string, repoId: string): void {
    if (folders.get(folder) === repoId) return
    folders.set(folder, repoId)
    table.rememberFolder(folder, repoId)
    grew = true
  }

  async function identifyPlace(place: GitPlace): Promise<string> {
    const known = [...records.values()].find((record) => record.commonDir === place.commonDir)
    if (known !== undefined && known.commonBirth === place.commonBirth && known.rootCommit !== null && !isNews(known, place))
      return known.id
    const rootCommit = await readRootCommit(context, place.commonDir)
    const { commonDir, commonBirth, root, claimed } = place
    if (known !== undefined) {
      if (known.rootCommit === null || rootCommit === null || known.rootCommit === rootCommit) {
        const rooted = isNews(known, place) ? { root, claimed } : {}
        const next = { ...known, ...rooted, commonBirth, rootCommit: rootCommit ?? known.rootCommit }
        return isSame(known, next) ? known.id : put(next)
      }
      // Another repository was put in its place: the old one keeps its sessions, without a home on disk.
      put({ ...known, commonDir: `${known.commonDir}#replaced`, commonBirth: '' })
    }
    // Anyone can put a copy of a history into a folder of their project: there it is a repository of its own.
    const canBeMoved = rootCommit !== null && !claimed && findProjectAround(root, home) === null
    const moved = canBeMoved ? findMoved([...records.values()], rootCommit, root) : undefined
    const id = moved?.id ?? (await freeId(records, commonDir, rootCommit))
    return put({ id, root, commonDir, commonBirth, rootCommit, claimed })
  }

  /** The nearest place whose word counts. */
  function findBelieved(folder: string): GitPlace | LostPlace | null {
    const place = findGitPlace(folder, home)
    const isBelieved = place === null || ('lostCommonDir' in place ? isOfKnown(place) : !place.claimed || isOnlyClaim(place))
    if (isBelieved) return place
    return dirname(place.top) === place.top ? null : findBelieved(dirname(place.top))
  }

  /** Where the repository was moved, it still names its work trees; where it is gone, what was found out before counts. */
  function isOfKnown({ top, lostCommonDir, worktreeName }: LostPlace): boolean {
    const id = folders.get(lostCommonDir)
    const record = id === undefined ? undefined : records.get(id)
    if (record === undefined) return false
    return folders.get(top) === id || (worktreeName !== null && confirmsLinkedTree(record.commonDir, worktreeName, top))
  }

  /** Of two folders that claim to be the main worktree of one repository, the first one stays so while it claims it. */
  function isOnlyClaim({ commonDir, root }: GitPlace): boolean {
    const known = [...records.values()].find((record) => record.commonDir === commonDir)
    if (known === undefined || known.root === root || !known.claimed) return true
    const other = findGitPlace(known.root, home)
    return other === null || !('commonDir' in other) || other.commonDir !== commonDir
  }

  async function lookUp(folder: string): Promise<string | null> {
    if (!isAbsolute(folder)) return null // written by another system: nothing here can be meant
    const existing = nearestExisting(folder)
    const place = existing === null ? null : findBelieved(existing)
    const known = longestKnown(folders, folder)
    if (place === null) return known?.repoId ?? null
    // A folder that is gone belongs to whichever is nearer: a folder we remember, or the repository above it today.
    if (known !== null && known.folder.length > place.top.length && !isReal(folder)) return known.repoId
    if ('lostCommonDir' in place) return folders.get(place.lostCommonDir) ?? null
    const id = await identifyPlace(place)
    remember(place.top, id)
    if (!isInside(folder, place.top) && isReal(folder)) remember(folder, id) // reached through a symbolic link
    return id
  }

  return {
    identify(folder) {
      let answer = answers.get(folder)
      if (answer === undefined) {
        // One at a time: two folders of one repository must not both take it for new.
        answer = queue.then(() => lookUp(folder))
        // One that cannot be looked at says nothing of the others.
        queue = answer.catch(() => undefined)
        answers.set(folder, answer)
      }
      return answer
    },
    get grew() {
      return grew
    },
  }
}

/** Several may be gone at once: the one of the same name is it, or the only one. */
function findMoved(records: readonly RepositoryRecord[], rootCommit: string, root: string): RepositoryRecord | undefined {
  const gone = records.filter((record) => record.rootCommit === rootCommit && !existsSync(record.commonDir))
  return gone.find((record) => basename(record.root) === basename(root)) ?? (gone.length === 1 ? gone[0] : undefined)
}

/** Hashing is loaded only here: nearly every folder is known. */
async function freeId(records: ReadonlyMap<string, unknown>, commonDir: string, rootCommit: string | null): Promise<string> {
  const { createHash } = await import('node:crypto')
  for (let salt = 0; ; salt += 1) {
    const id = createHash('sha256').update(`${commonDir}\0${rootCommit}\0${salt}`).digest('hex').slice(0, 16)
    if (!records.has(id)) return id
  }
}

function isSame(a: RepositoryRecord, b: RepositoryRecord): boolean {
  return a.commonBirth === b.commonBirth && a.rootCommit === b.rootCommit && a.root === b.root && a.claimed === b.claimed
}

/** Whether the place names another main worktree; a linked one knows none where the repository does not name it. */
function isNews(known: RepositoryRecord, { commonDir, root, claimed }: GitPlace): boolean {
  return root !== commonDir && (known.root !== root || known.claimed !== claimed)
}

function longestKnown(folders: ReadonlyMap<string, string>, folder: string): { folder: string; repoId: string } | null {
  for (let at = folder; ; at = dirname(at)) {
    const repoId = folders.get(at)
    if (repoId !== undefined) return { folder: at, repoId }
    if (dirname(at) === at) return null
  }
}

function nearestExisting(folder: string): string | null {
  for (let at = folder; ; at = dirname(at)) {
    if (isReal(at)) return realpathSync(at)
    if (dirname(at) === at) return null
  }
}

function isReal(folder: string): boolean {
  return existsSync(folder)
}

function isInside(folder: string, top: string): boolean {
  return folder === top || folder.startsWith(join(top, '/'))
}
