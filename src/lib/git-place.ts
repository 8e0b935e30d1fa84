// Finds the repository a folder lies in by looking at files alone: a first scan meets thousands of sessions, and one git
// process for each would cost more than reading them. A `.git` that leads elsewhere counts only where the repository it names
// confirms the work tree (git-proof.ts): git follows such a file without asking, but here it decides whose sessions are shown.
import { lstatSync, type Stats, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import {
  confirmsLinkedTree,
  isBareClaim,
  isGitDir,
  readCoreWorktree,
  readIfThere,
  realIfThere,
  statIfThere,
} from './git-proof.ts'
import { isWithin, realFolder } from './within.ts'

export interface GitPlace {
  /** Top level of the worktree the folder lies in. */
  readonly top: string
  /** What all worktrees of a repository share. */
  readonly commonDir: string
  readonly commonBirth: string
  /** Top level of the main worktree; of a bare repository the repository itself. */
  readonly root: string
  /** The repository names no work tree, so this one has only its own word for it (`--separate-git-dir`). */
  readonly claimed: boolean
}

/** A worktree that names a repository which is not there any more: the main checkout was moved. */
export interface LostPlace {
  readonly top: string
  readonly lostCommonDir: string
  /** Its folder below `worktrees`; `null` for a main work tree. */
  readonly worktreeName: string | null
}

/** `home`: a repository there or above it (dotfiles) does not count as a project around every other one. */
export function findGitPlace(folder: string, home: string | null): GitPlace | LostPlace | null {
  for (let top = folder; ; top = dirname(top)) {
    const place = readDotGit(top)
    // A project's root is never learnt from a folder inside another project.
    if (place !== null && 'claimed' in place && place.claimed) return findProjectAround(top, home) ?? place
    if (place !== null) return place
    if (dirname(top) === top) return null
  }
}

/** The repository that the folder above `top` lies in, unless that is one for the whole home folder. */
export function findProjectAround(top: string, home: string | null): GitPlace | LostPlace | null {
  if (dirname(top) === top) return null
  const around = findGitPlace(dirname(top), home)
  return around === null || (home !== null && isWithin(home, around.top)) ? null : around
}

/**
 * The `.git` that git would follow from this folder to a repository which does not confirm it; `null` where there is none, or git itself
 * says what is wrong with it.
 */
export function findForgedGit(folder: string): string | null {
  // A git folder may have become a link since it was recorded.
  const start = realIfThere(basename(folder) === '.git' ? dirname(folder) : folder)
  if (start === null) return null
  for (let top = start; ; top = dirname(top)) {
    const isForged = judgeDotGit(top)
    if (isForged !== null) return isForged ? join(top, '.git') : null
    if (isGitDir(top) || dirname(top) === top) return null
  }
}

/** The git folder that git finds from this folder, by its real path; `null` where there is none. */
export function findGitDir(folder: string): string | null {
  for (let top = folder; ; top = dirname(top)) {
    const dotGit = join(top, '.git')
    const named = statIfThere(dotGit)?.isFile() ? gitDirNamedIn(top) : [dotGit, top].find(isGitDir)
    if (named !== undefined) return named === null ? null : realFolder(named)
    if (dirname(top) === top) return null
  }
}

/** `null` where git looks further up. */
function judgeDotGit(top: string): boolean | null {
  const dotGit = join(top, '.git')
  const stat = statIfThere(dotGit)
  if (stat === null) return null
  if (stat.isDirectory() && !isLink(dotGit)) {
    if (statIfThere(join(dotGit, 'HEAD')) === null) return null
    const shared = readIfThere(join(dotGit, 'commondir'))
    return shared !== null && realIfThere(resolve(dotGit, shared.trim())) !== dotGit
  }
  const named = stat.isDirectory() ? dotGit : gitDirNamedIn(top)
  if (named === null) return false
  const place = readGitDir(top, named)
  return place === null || ('claimed' in place && place.claimed && isForeignClaim(place))
}

/** A folder inside a project cannot claim a repository outside of that project. */
function isForeignClaim({ top, commonDir }: GitPlace): boolean {
  const around = findProjectAround(top, null)
  return around !== null && !isWithin(commonDir, around.top)
}

function readDotGit(top: string): GitPlace | LostPlace | null {
  const dotGit = join(top, '.git')
  const stat = statIfThere(dotGit)
  if (stat === null) return null
  if (stat.isDirectory() && !isLink(dotGit)) {
    if (statIfThere(join(dotGit, 'HEAD')) === null) return null // an empty `.git` folder is not a repository for git either
    return { top, commonDir: dotGit, commonBirth: birthOf(stat), root: top, claimed: false }
  }
  const named = stat.isDirectory() ? dotGit : gitDirNamedIn(top)
  return named === null ? null : readGitDir(top, named)
}

function gitDirNamedIn(top: string): string | null {
  const target = readIfThere(join(top, '.git'))?.match(/^gitdir: (.+)$/m)?.[1]
  return target === undefined ? null : resolve(top, target.trim())
}

function readGitDir(top: string, named: string): GitPlace | LostPlace | null {
  const gitDir = realIfThere(named)
  const shared = gitDir === null ? null : readIfThere(join(gitDir, 'commondir'))
  const commonDir = gitDir === null || shared === null ? gitDir : realIfThere(resolve(gitDir, shared.trim()))
  if (gitDir === null || commonDir === null) {
    const [, lostCommonDir, worktreeName] = /^(.*)\/worktrees\/([^/]+)$/.exec(named) ?? [null, named, null]
    return { top, lostCommonDir: lostCommonDir ?? named, worktreeName: worktreeName ?? null }
  }
  const found = { top, commonDir, commonBirth: birthOf(statSync(commonDir)) }
  if (shared !== null) {
    const name = basename(gitDir)
    // In a folder of its own, `commondir` could name any repository.
    const isConfirmed = gitDir === join(commonDir, 'worktrees', name) && confirmsLinkedTree(commonDir, name, top)
    return isConfirmed ? { ...found, root: mainRootOf(commonDir), claimed: false } : null
  }
  // Without `commondir` this is a main worktree whose repository lies elsewhere: a submodule, or --separate-git-dir.
  const worktree = readCoreWorktree(gitDir)
  if (worktree !== null) return worktree === top ? { ...found, root: top, claimed: false } : null
  if (basename(gitDir) === '.git') return null // the work tree of this one is the folder it lies in
  if (isWithin(gitDir, top)) return { ...found, root: top, claimed: false }
  return isBareClaim(top, gitDir) ? { ...found, root: top, claimed: true } : null
}

/** Where no file says which folder is the main worktree, the repository itself stands for it, as in `git worktree list`. */
function mainRootOf(commonDir: string): string {
  if (basename(commonDir) === '.git') return dirname(commonDir)
  const worktree = readCoreWorktree(commonDir)
  const named = worktree === null ? null : gitDirNamedIn(worktree)
  return worktree !== null && named !== null && realIfThere(named) === commonDir ? worktree : commonDir
}

function isLink(path: string): boolean {
  return lstatSync(path).isSymbolicLink()
}

/** An inode alone is given to the next folder as soon as this one is deleted. */
function birthOf({ ino, birthtimeMs }: Stats): string {
  return `${ino}@${birthtimeMs}`
}
