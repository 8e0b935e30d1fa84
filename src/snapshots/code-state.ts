// Everything a plan says about the code of a work tree, by reading alone: neither index nor files are written, no lock taken.
import { join } from 'node:path'
import { isMissing } from '../lib/file-errors.ts'
import { anySize, loadRegularText } from '../lib/regular-file.ts'
import { asBytePath, type BytePath, placeOf, showPath, splitRecords } from './byte-path.ts'
import { type Fingerprint, takeFingerprint } from './fingerprint.ts'
import type { Git } from './git.ts'
import { readSettings } from './git-settings.ts'
import { type LeftBehind, listLeftBehind, type PartlyIncluded, showIncluded } from './left-behind.ts'
import { findOperation, type Operation } from './operation.ts'
import { findRepository, type Repository } from './repository.ts'
import { isEmbeddedRepository, readStatus, type Status, type StatusEntry } from './status.ts'
import { findIncluded } from './worktree-include.ts'

export interface ChangedFile {
  readonly path: string
  /** `M`, `A`, `D` or `T` as git has it; `null` where this side is unchanged. */
  readonly staged: string | null
  readonly unstaged: string | null
  readonly conflicted: boolean
}

export interface SubmoduleState {
  readonly path: string
  readonly otherCommit: boolean
  readonly changed: boolean
  readonly untracked: boolean
}

export interface CodeState {
  readonly repository: Repository
  /** `null` before the first commit. */
  readonly commit: string | null
  /** `null` when HEAD is detached. */
  readonly branch: string | null
  readonly dirtyFiles: readonly ChangedFile[]
  readonly untracked: readonly string[]
  /** Ignored files that `.worktreeinclude` takes along; a folder stands for those in it. */
  readonly included: readonly string[]
  readonly leftBehind: readonly LeftBehind[]
  readonly submodules: readonly SubmoduleState[]
  readonly embeddedRepositories: readonly string[]
  readonly operation: Operation | null
  readonly lfs: boolean
  readonly sparse: boolean
  /** `null` without a work tree. */
  readonly fingerprint: Fingerprint | null
}

export async function readCodeState(git: Git, folder: string): Promise<CodeState> {
  const repository = await findRepository(git, folder)
  const { root, indexPath, gitDir } = repository
  if (root === null) return { ...nothingOpen, repository, ...(await readBareHead(git, repository)) }
  const { sparse, overrides } = await readSettings(git, repository)
  const [status, special, operation] = await Promise.all([
    readStatus(git, root, { ignored: true, config: overrides }),
    listSpecialEntries(git, root),
    findOperation(gitDir),
  ])
  const included = await findIncluded(git, root, indexPath, status)
  const partly = await countPartlyIncluded(git, root, status, included)
  return {
    repository,
    commit: status.commit,
    branch: status.branch,
    ...sortEntries(status),
    included: showIncluded(included, partly),
    leftBehind: listLeftBehind(status, included, partly),
    submodules: listSubmodules(status, special.submodules),
    operation,
    lfs: await usesLfs(repository, root, special.attributeFiles),
    sparse,
    fingerprint: await takeFingerprint(root, status, operation?.kind ?? null),
  }
}

/** Ignored folders nobody walked into yet, from which files are taken along: how many there are of each. */
async function countPartlyIncluded(
  git: Git,
  root: string,
  { entries }: Status,
  included: readonly BytePath[],
): Promise<PartlyIncluded[]> {
  const folders = entries.filter(({ kind, path }) => kind === 'ignored' && path.endsWith('/')).map(({ path }) => path)
  const countIn = (paths: readonly BytePath[], folder: BytePath) => paths.filter((path) => path.startsWith(folder)).length
  const touched = folders.filter((folder) => included.some((path) => path.startsWith(folder)))
  if (touched.length === 0) return []
  const { stdout } = await git(['ls-files', '-z', '--others', '--ignored', '--exclude-standard'], { cwd: root })
  const all = splitRecords(stdout) as BytePath[]
  return touched.map((folder) => ({ folder, included: countIn(included, folder), files: countIn(all, folder) }))
}

const nothingOpen = {
  dirtyFiles: [],
  untracked: [],
  included: [],
  leftBehind: [],
  submodules: [],
  embeddedRepositories: [],
  operation: null,
  lfs: false,
  sparse: false,
  fingerprint: null,
} satisfies Partial<CodeState>

function sortEntries({ entries }: Status): Pick<CodeState, 'dirtyFiles' | 'untracked' | 'embeddedRepositories'> {
  const untracked = entries.filter((entry) => entry.kind === 'untracked')
  return {
    dirtyFiles: entries.filter((entry) => entry.kind === 'changed' || entry.kind === 'unmerged').map(describeChange),
    untracked: untracked.filter((entry) => !isEmbeddedRepository(entry)).map((entry) => showPath(entry.path)),
    embeddedRepositories: untracked.filter(isEmbeddedRepository).map((entry) => showPath(entry.path)),
  }
}

function describeChange({ path, kind, staged, unstaged }: StatusEntry): ChangedFile {
  const orNull = (letter: string) => (letter === '.' ? null : letter)
  return { path: showPath(path), staged: orNull(staged), unstaged: orNull(unstaged), conflicted: kind === 'unmerged' }
}

function listSubmodules(status: Status, paths: readonly BytePath[]): SubmoduleState[] {
  const dirt = new Map(status.entries.map((entry) => [entry.path, entry.submodule ?? 'S...']))
  return paths.map((path) => {
    const [, commit, changed, untracked] = dirt.get(path) ?? 'S...'
    return { path: showPath(path), otherCommit: commit === 'C', changed: changed === 'M', untracked: untracked === 'U' }
  })
}

interface SpecialEntries {
  readonly submodules: readonly BytePath[]
  readonly attributeFiles: readonly BytePath[]
}

/** Picked out of the text: making 20,000 objects for a handful would take longer than git does. */
async function listSpecialEntries(git: Git, root: string): Promise<SpecialEntries> {
  const { stdout } = await git(['ls-files', '--stage', '-z'], { cwd: root })
  const pick = (pattern: RegExp) => [...new Set(Array.from(stdout.matchAll(pattern), (match) => asBytePath(match[1] ?? '')))]
  return {
    submodules: pick(/(?:^|\0)160000 \w+ \d\t([^\0]+)/g),
    attributeFiles: pick(/\t((?:[^\0]*\/)?\.gitattributes)(?=\0)/g),
  }
}

/** By the attribute files alone: asking git for the attributes of every file would cost more than the answer is worth. */
async function usesLfs({ commonDir }: Repository, root: string, attributeFiles: readonly BytePath[]): Promise<boolean> {
  const tracked = attributeFiles.map((path) => placeOf(root, path))
  const places = [...tracked, placeOf(root, '.gitattributes' as BytePath), Buffer.from(join(commonDir, 'info', 'attributes'))]
  for (const place of places) {
    const text = await loadRegularText(place, anySize).catch((error) => {
      if (isMissing(error)) return ''
      throw error
    })
    if (/^[^#]*\bfilter=lfs\b/m.test(text)) return true
  }
  return false
}

async function readBareHead(git: Git, { commonDir: cwd }: Repository): Promise<Pick<CodeState, 'commit' | 'branch'>> {
  const [commit, branch] = await Promise.all([
    git(['rev-parse', '--quiet', '--verify', 'HEAD^{commit}'], { cwd, accept: [0, 1] }),
    git(['symbolic-ref', '--quiet', '--short', 'HEAD'], { cwd, accept: [0, 1] }),
  ])
  return { commit: commit.stdout.trim() || null, branch: showPath(branch.stdout.trim()) || null }
}
