// What a git folder says about its work trees. A file in a work tree can name any repository; only what stands in the repository's
// own folder confirms it: `worktrees/<name>/gitdir` for a linked work tree, `core.worktree` for a submodule.
import { lstatSync, realpathSync, type Stats, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { isMissing } from './file-errors.ts'
import { readRegularText } from './regular-file.ts'

/** Whether the repository has a linked work tree of this name, and it is `top`. */
export function confirmsLinkedTree(commonDir: string, name: string, top: string): boolean {
  const folder = join(commonDir, 'worktrees', name)
  const dotGit = readIfThere(join(folder, 'gitdir'))?.trim()
  if (dotGit === undefined || basename(dotGit) !== '.git') return false
  return realIfThere(dirname(resolve(folder, dotGit))) === top
}

/** The work tree that the repository's own configuration names, by its real path. */
export function readCoreWorktree(gitDir: string): string | null {
  const named = ['config.worktree', 'config'].map((name) => worktreeIn(readIfThere(join(gitDir, name)) ?? '')).find(Boolean)
  if (named === undefined || named === null) return null
  const folder = resolve(gitDir, named)
  return realIfThere(folder) ?? folder
}

/** The last `worktree` of a `[core]` section; git writes a name with blanks or signs in quotes. */
function worktreeIn(config: string): string | null {
  let section = ''
  let found: string | null = null
  for (const line of config.split('\n')) {
    section = /^\s*\[\s*([^\s\]]+)/.exec(line)?.[1]?.toLowerCase() ?? section
    const value = /^(?:\s*\[[^\]]*\])?\s*worktree\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^"#;]*))/i.exec(line)
    if (section === 'core' && value !== null) found = value[1]?.replace(/\\(.)/g, '$1') ?? value[2]?.trim() ?? null
  }
  return found
}

/** Git itself takes such a work tree's word only where the same user owns the folder, its `.git` and the repository. */
export function isBareClaim(top: string, gitDir: string): boolean {
  const owners = [lstatSync(join(top, '.git')), statIfThere(top), statIfThere(gitDir)].map((stat) => stat?.uid)
  return new Set(owners).size === 1 && ['HEAD', 'objects', 'refs'].every((name) => statIfThere(join(gitDir, name)) !== null)
}

/** Whether the folder itself is a repository, or the git folder of a linked work tree. */
export function isGitDir(folder: string): boolean {
  const has = (name: string) => statIfThere(join(folder, name)) !== null
  return has('HEAD') && (has('objects') || has('commondir'))
}

export function realIfThere(path: string): string | null {
  return orNull(() => realpathSync(path))
}

export function statIfThere(path: string): Stats | null {
  return orNull(() => statSync(path))
}

export function readIfThere(path: string): string | null {
  return orNull(() => readRegularText(path))
}

function orNull<T>(look: () => T): T | null {
  try {
    return look()
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
