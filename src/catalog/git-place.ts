// Finds the repository a folder lies in by looking at files alone: a first scan meets thousands of sessions, and one git
// process for each would cost more than reading them.
import { realpathSync, type Stats, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { isMissing } from '../lib/file-errors.ts'
import { readRegularText } from '../lib/regular-file.ts'

export interface GitPlace {
  /** Top level of the worktree the folder lies in. */
  readonly top: string
  /** What all worktrees of a repository share. */
  readonly commonDir: string
  readonly commonBirth: string
  /** Top level of the main worktree; of a bare repository the repository itself. */
  readonly root: string
}

/** A worktree that names a repository which is not there any more: the main checkout was moved. */
export interface LostPlace {
  readonly top: string
  readonly lostCommonDir: string
}

export function findGitPlace(folder: string): GitPlace | LostPlace | null {
  for (let top = folder; ; top = dirname(top)) {
    const place = readDotGit(top)
    if (place !== null) return place
    if (dirname(top) === top) return null
  }
}

function readDotGit(top: string): GitPlace | LostPlace | null {
  const dotGit = join(top, '.git')
  const stat = statIfThere(dotGit)
  if (stat === null) return null
  if (stat.isDirectory()) {
    if (statIfThere(join(dotGit, 'HEAD')) === null) return null // an empty `.git` folder is no repository for git either
    return { top, commonDir: realpathSync(dotGit), commonBirth: birthOf(stat), root: top }
  }
  const target = readIfThere(dotGit)?.match(/^gitdir: (.+)$/m)?.[1]
  if (target === undefined) return null
  return readGitDir(top, resolve(top, target.trim()))
}

function readGitDir(top: string, gitDir: string): GitPlace | LostPlace {
  const shared = readIfThere(join(gitDir, 'commondir'))
  const commonDir = shared === null ? gitDir : resolve(gitDir, shared.trim())
  const stat = statIfThere(commonDir)
  if (stat === null) return { top, lostCommonDir: gitDir.replace(/\/worktrees\/[^/]+$/, '') }
  const real = realpathSync(commonDir)
  // Without `commondir` this is a main worktree whose repository lies elsewhere: a submodule, or --separate-git-dir.
  const root = shared === null ? top : basename(real) === '.git' ? dirname(real) : real
  return { top, commonDir: real, commonBirth: birthOf(stat), root }
}

/** An inode alone is given to the next folder as soon as this one is deleted. */
function birthOf({ ino, birthtimeMs }: Stats): string {
  return `${ino}@${birthtimeMs}`
}

function statIfThere(path: string) {
  try {
    return statSync(path)
  } catch (error) {
    if (isMissing(error) || isShut(error)) return null
    throw error
  }
}

function readIfThere(path: string): string | null {
  try {
    return readRegularText(path)
  } catch (error) {
    if (isMissing(error) || isShut(error)) return null
    throw error
  }
}

/** A folder we may not look into is, for us, in no repository. */
function isShut(error: unknown): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    ['EACCES', 'EPERM', 'ELOOP', 'ENAMETOOLONG', 'EISDIR', 'unreadable'].includes(String(error.code))
  )
}
