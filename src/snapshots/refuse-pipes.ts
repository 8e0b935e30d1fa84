// Looks at the files git is going to open before it is started: one that is a pipe or a device would hold it for good.
import { lstatSync, type Stats, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { readRegularText } from '../lib/regular-file.ts'
import { AppError } from '../model/error.ts'

/** Those every command reads first: without them git answers nothing, and what is behind them it reads in our time limit. */
const names = [
  'HEAD',
  'config',
  'config.worktree',
  'commondir',
  'index',
  'packed-refs',
  'shallow',
  'info/attributes',
  'info/exclude',
]

/** Throws `refused` where the repository of this folder has such a file. */
export function refusePipes(folder: string): void {
  for (const gitDir of gitDirsOf(folder)) {
    for (const name of names) refuseIfPipe(join(gitDir, name))
  }
}

/** The git folder of the work tree, and the one it shares with others. */
function gitDirsOf(folder: string): string[] {
  for (let at = folder; ; at = dirname(at)) {
    const dotGit = join(at, '.git')
    const stat = look(dotGit)
    if (stat?.isDirectory()) return [dotGit]
    if (stat !== null) {
      refuseIfPipe(dotGit)
      const gitDir = linkIn(dotGit, at, /^gitdir: (.+)$/m)
      return gitDir === null ? [] : [gitDir, linkIn(join(gitDir, 'commondir'), gitDir, /^(.+)$/m) ?? gitDir]
    }
    if (dirname(at) === at) return []
  }
}

function linkIn(file: string, base: string, pattern: RegExp): string | null {
  refuseIfPipe(file)
  if (look(file) === null) return null
  try {
    const target = pattern.exec(readRegularText(file))?.[1]
    return target === undefined ? null : resolve(base, target.trim())
  } catch {
    return null // git says better what is wrong with it
  }
}

function refuseIfPipe(path: string): void {
  const stat = look(path)
  if (stat === null || stat.isFile() || stat.isDirectory()) return
  throw new AppError('refused', `${path} is not a file: git would wait for it without end.`, {
    hint: 'Remove it, or put the file back, and try again.',
  })
}

function look(path: string): Stats | null {
  try {
    const stat = lstatSync(path)
    return stat.isSymbolicLink() ? statSync(path) : stat
  } catch {
    return null // not there, or not to be seen: git says which
  }
}
