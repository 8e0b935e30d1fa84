// Brings a private index up to the work tree: `git add -A`, and everything it would do wrong there: take files that are too
// large, stop at the first it cannot read, take a repository inside this one as a mere link to a commit.
import { AppError } from '../model/error.ts'
import { findCulprits, findFailedFilters, listFiltered, listLeft, toBytes, withoutFilters } from './add-culprits.ts'
import { isAttributeFile } from './attributes.ts'
import { asBytePath, type BytePath, joinRecords, splitRecords } from './byte-path.ts'
import { turnOff } from './failed-filter.ts'
import type { Git } from './git.ts'
import { explainLeft, lookNow, refuseUntracked, type Uncovered } from './not-covered.ts'
import { listDirtySubmodules } from './submodules.ts'

export interface AddRequest {
  readonly git: Git
  readonly root: string
  readonly index: string
  readonly sparse: boolean
  readonly config: Readonly<Record<string, string>>
  /** Names of the settings of filters, such as `filter.lfs.process`. */
  readonly filters: readonly string[]
  /** 0: no limit. */
  readonly maxFileBytes: number
  readonly untracked: readonly BytePath[]
  readonly submodules: readonly BytePath[]
  /** The person's index has conflicts. */
  readonly conflicted: boolean
  /** Told before they are added, so that a crash cannot lose count of them. */
  readonly onUntracked: (paths: readonly BytePath[]) => Promise<void>
}

export interface Added {
  readonly uncovered: Uncovered
  /** A .gitattributes came, went or changed: other files may be seen otherwise from now on. */
  readonly attributesChanged: boolean
  /** Tracked, and taken out of the private index. */
  readonly removed: readonly BytePath[]
}

const addTimeoutMs = 10 * 60_000
/** So many files whose filter fails are found one by one; from then on all that have such a filter stay out. */
const maxFilterTries = 4

export async function addAll(request: AddRequest): Promise<Added> {
  const { git, root, submodules } = request
  const uncovered: Uncovered = new Map()
  const dirt = listDirtySubmodules(git, root, submodules)
  // Awaited below, unless something fails before: then that is what is told.
  dirt.catch(() => undefined)
  await sortUntracked(request, uncovered)
  const { stdout, stderr, exitCode, conflicts: dropped } = await add(request, uncovered)
  if (exitCode !== 0) await explain(request, stderr, uncovered)
  const told = Array.from(stdout.matchAll(toldPath), ([, what, path = '']) => [what, asBytePath(path)] as const)
  const listTold = (wanted: string) => told.flatMap(([what, path]) => (what === wanted ? [path] : []))
  const links = await dropLinks(request, listTold('add'), uncovered)
  for (const path of await dirt) uncovered.set(path, 'submodule_changes')
  for (const folder of findClosedFolders(stderr)) uncovered.set(folder, 'unreadable')
  // What git could not look at it left as it was.
  for (const [, path = ''] of stderr.matchAll(/^(?!\w+: )(.+): Permission denied$/gm)) {
    uncovered.set(asBytePath(toBytes(path)), 'unreadable')
  }
  const mayBeLeft = request.conflicted || hasFailed(uncovered)
  const conflicts = [...dropped, ...(mayBeLeft ? await dropConflicts(request, () => true) : [])]
  const attributesChanged = told.some(([, path]) => isAttributeFile(path))
  const untracked = new Set(request.untracked)
  const removed = [...listTold('remove'), ...links, ...conflicts].filter((path) => !untracked.has(path))
  return { uncovered, attributesChanged, removed }
}

/** A name may have quotes and line breaks in it. */
const toldPath = /^(add|remove) '([\s\S]*?)'\n(?=add '|remove '|(?![\s\S]))/gm

/** Looks at what is new before git takes it, and again at what was taken as new before: it may have grown, or be ignored by now. */
async function sortUntracked(request: AddRequest, uncovered: Uncovered): Promise<void> {
  const { git, root, index, config, maxFileBytes } = request
  const list = async (...what: string[]) => {
    const { stdout } = await git(['ls-files', ...what, '--exclude-standard', '-z'], { cwd: root, index, config })
    return splitRecords(stdout) as BytePath[]
  }
  const [others, ignored] = await Promise.all([
    list('--others'),
    request.untracked.length === 0 ? [] : list('--cached', '--ignored'),
  ])
  for (const path of others) {
    const reason = refuseUntracked(root, path, maxFileBytes)
    if (reason !== null) uncovered.set(path, reason)
  }
  const nowIgnored = new Set(ignored)
  const kept: BytePath[] = []
  const dropped: BytePath[] = []
  for (const path of request.untracked) {
    const found = lookNow(root, path)
    if (found === 'gone') continue
    const tooLarge = found !== 'unreadable' && maxFileBytes > 0 && found.isFile() && found.size > maxFileBytes
    if (tooLarge) uncovered.set(path, 'too_large')
    if (tooLarge || nowIgnored.has(path)) dropped.push(path)
    else kept.push(path)
  }
  await forceRemove(request, dropped)
  await request.onUntracked([...kept, ...others.filter((path) => !uncovered.has(path))])
}

async function forceRemove(request: AddRequest, paths: readonly BytePath[]): Promise<void> {
  if (paths.length === 0) return
  const { git, root, index } = request
  const call = { cwd: root, index, config: withoutFilters(request), input: joinRecords(paths) }
  await git(['update-index', '-z', '--force-remove', '--stdin'], call)
}

interface AddResult {
  readonly stdout: string
  readonly stderr: string
  readonly exitCode: number
}

/**
 * A required filter that fails, or text that cannot be converted, ends all of `git add`: that file is left out and it begins again.
 * Where that does not help, it goes on without the filter: what has one stays as it was taken before.
 */
async function add(request: AddRequest, uncovered: Uncovered): Promise<AddResult & { readonly conflicts: readonly BytePath[] }> {
  const conflicts: BytePath[] = []
  const off = new Set<string>()
  for (let tries = 0; ; tries++) {
    const now = { ...request, config: Object.assign({}, request.config, ...[...off].map(turnOff)) }
    try {
      return { ...(await addOnce(now, [...uncovered.keys()])), conflicts }
    } catch (error) {
      const found = await findCulprits(now, error, tries >= maxFilterTries)
      const more = new Map(found.filter(([path]) => !uncovered.has(path)))
      if (more.size === 0) {
        const filters = findFailedFilters(now, error).filter((name) => !off.has(name))
        if (filters.length === 0) throw error
        for (const name of filters) off.add(name)
        const config = Object.assign({}, now.config, ...filters.map(turnOff))
        for (const path of await listFiltered({ ...now, config }, filters)) more.set(path, 'filter_failed')
      }
      for (const [path, reason] of more) uncovered.set(path, reason)
      // Newer gits (seen in 2.47) run the filter of a file in conflict even where it is excluded.
      conflicts.push(...(await dropConflicts(request, (path) => more.has(path))))
    }
  }
}

async function addOnce({ git, root, index, sparse, config }: AddRequest, without: readonly BytePath[]): Promise<AddResult> {
  const args = ['add', '--all', '--verbose', '--ignore-errors', ...(sparse ? ['--sparse'] : [])]
  const call = { cwd: root, index, config, accept: [0, 1], timeoutMs: addTimeoutMs }
  if (without.length === 0) return git(args, call)
  // By stdin: an argument cannot hold a byte that is not UTF-8.
  const input = joinRecords(['.', ...without.map((path) => `:(exclude,literal)${path}`)])
  return git([...args, '--pathspec-from-file=-', '--pathspec-file-nul'], { ...call, input })
}

/** Anything git says of its own storage is no matter of one file: without it there is no snapshot. */
const storageFault =
  /insufficient permission for adding|failed to insert into database|unable to write|No space left|Read-only file system/

async function explain(request: AddRequest, stderr: string, uncovered: Uncovered): Promise<void> {
  if (storageFault.test(stderr)) {
    const line = stderr.split('\n').find((each) => storageFault.test(each)) ?? stderr
    throw new AppError('failed', `git could not store the files of ${request.root}: ${line.replace(/^\w+: /, '')}`, {
      details: { stderr },
    })
  }
  for (const path of await listLeft(request)) {
    const reason = uncovered.has(path) ? null : explainLeft(request.root, path, stderr)
    if (reason !== null) uncovered.set(path, reason)
  }
}

/** A tracked file replaced by a repository becomes a link to its commit; of what is in it nothing would be kept. */
async function dropLinks(request: AddRequest, changed: readonly BytePath[], uncovered: Uncovered): Promise<BytePath[]> {
  const known = new Set(request.submodules)
  const links = changed.filter((path) => {
    const found = known.has(path) ? 'gone' : lookNow(request.root, path)
    return typeof found === 'object' && found.isDirectory()
  })
  for (const path of links) uncovered.set(asBytePath(`${path}/`), 'embedded_repository')
  await forceRemove(request, links)
  return links
}

function hasFailed(uncovered: Uncovered): boolean {
  return [...uncovered.values()].some((reason) => ['filter_failed', 'unreadable', 'special_file'].includes(reason))
}

/**
 * A file in conflict that could not be added still is: with one such there is no tree. Also one below a link that leads to
 * itself, which git neither finds nor calls gone.
 */
async function dropConflicts(request: AddRequest, isMeant: (path: BytePath) => boolean): Promise<BytePath[]> {
  const { git, root, index } = request
  const { stdout } = await git(['ls-files', '--unmerged', '-z'], { cwd: root, index })
  const unmerged = splitRecords(stdout).map((record) => asBytePath(record.slice(record.indexOf('\t') + 1)))
  const paths = [...new Set(unmerged)].filter(isMeant)
  await forceRemove(request, paths)
  return paths
}

function findClosedFolders(stderr: string): BytePath[] {
  const found = stderr.matchAll(/^warning: could not open directory '([\s\S]*?)': Permission denied$/gm)
  return Array.from(found, ([, path = '']) => asBytePath(toBytes(path)))
}
