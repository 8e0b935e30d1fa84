// Which repository a folder belongs to, and where its parts lie: one `rev-parse`. The index and HEAD are per work tree,
// branches and snapshots are in the common folder that all work trees share.
import { realpath } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { findGitDir } from '../lib/git-place.ts'
import { realIfThere } from '../lib/git-proof.ts'
import { isWithin } from '../lib/within.ts'
import { AppError } from '../model/error.ts'
import { showPath } from './byte-path.ts'
import type { Git } from './git.ts'

export interface Repository {
  /** Root of the work tree; `null` in a bare repository or inside its git folder. */
  readonly root: string | null
  /** Per work tree: HEAD, index, an operation in progress. */
  readonly gitDir: string
  /** Shared by all work trees: objects, branches, configuration. */
  readonly commonDir: string
  readonly indexPath: string
  readonly bare: boolean
  /** A linked worktree, not the one the repository was made with. */
  readonly linked: boolean
  /** What a person would call it. */
  readonly name: string
  /** Of an object's name: 20 (SHA-1) or 32 (SHA-256). */
  readonly hashBytes: number
}

export interface WorkTree extends Repository {
  readonly root: string
}

/** Milliseconds. It reads a few files: what takes longer does not end. */
const timeoutMs = 15_000

/**
 * Throws `repo_not_found` outside of git, `refused` where git itself refuses or the work tree is another one than the folder lies in,
 * `tool_missing` without git.
 */
export async function findRepository(git: Git, folder: string): Promise<Repository> {
  const places = ['--git-dir', '--git-common-dir', '--git-path', 'index', '--show-toplevel']
  const questions = ['--show-object-format', '--is-bare-repository', ...places]
  // Exit status 128 with answers: no work tree here, which only the last question minds.
  const answer = await git(['rev-parse', '--path-format=absolute', ...questions], { cwd: folder, accept: [0, 128], timeoutMs })
  const lines = showPath(answer.stdout).split('\n').slice(0, -1)
  if (lines[0]?.startsWith('--path-format')) {
    throw new AppError('tool_missing', 'This git is too old.', { hint: 'Install git 2.36 or newer.' })
  }
  const [format, bare, gitDir, commonDir, indexPath, root, ...more] = lines
  if (gitDir === undefined || commonDir === undefined || indexPath === undefined) return refuse(git, folder)
  if (more.length > 0) throw new AppError('refused', `The path of ${folder} holds a line break; offshoot cannot work there.`)
  const realGitDir = await realpath(gitDir)
  return {
    root: root === undefined ? null : await requireOwnTree(folder, realGitDir, root),
    gitDir: realGitDir,
    commonDir: await realpath(commonDir),
    indexPath,
    bare: bare === 'true',
    linked: gitDir !== commonDir,
    name: nameOf(commonDir),
    hashBytes: format === 'sha256' ? 32 : 20,
  }
}

/**
 * The real path of the work tree that git reports for the folder. `core.worktree` may name any folder, also one that belongs to another
 * repository, and git then reads and writes the files there: it must be around the folder, and lead back to the same git folder.
 */
async function requireOwnTree(folder: string, gitDir: string, named: string): Promise<string> {
  const root = realIfThere(named)
  const from = await realpath(folder)
  // Asked inside of its git folder, a submodule answers with its work tree.
  const isAround = root !== null && (isWithin(from, root) || isWithin(from, gitDir))
  if (isAround && !isWithin(root, gitDir) && findGitDir(root) === gitDir) return root
  throw new AppError(
    'refused',
    `The repository ${gitDir} names ${named} as its work tree, which is not the one ${folder} is in.`,
    {
      hint: `Remove core.worktree from its configuration: \`git --git-dir=${gitDir} config --show-origin core.worktree\` shows the file.`,
    },
  )
}

/** The same repository, `null` where there is none: an expected absence. */
export async function findRepositoryIfAny(git: Git, folder: string): Promise<Repository | null> {
  try {
    return await findRepository(git, folder)
  } catch (error) {
    if (error instanceof AppError && error.code === 'repo_not_found') return null
    throw error
  }
}

/** Asks again so that git says why, and the caller's error is git's. */
async function refuse(git: Git, folder: string): Promise<never> {
  await git(['rev-parse', '--git-dir'], { cwd: folder })
  throw new AppError('failed', `git did not answer where the repository of ${folder} is.`, {
    hint: 'Try again; if the error stays, run `git status` there.',
  })
}

function nameOf(commonDir: string): string {
  const folder = basename(commonDir) === '.git' ? dirname(commonDir) : commonDir
  const name = basename(folder).replace(/\.git$/, '')
  return name.replace(/[^\w.-]+/g, '-').replace(/^[.-]+/, '') || 'repository'
}
