// Looks at the files git is going to open before it is started. A pipe or a device among them would hold git for good, and a link in the
// place of refs or objects would have git read and write another repository. Names alone are read, folder by folder: a folder costs one
// call of the system. What is not looked at (loose objects, `.gitignore` further down) is left to the time limits of git.
import { type Dirent, lstatSync, readdirSync, type Stats, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { AppError } from '../model/error.ts'
import { isGitDir, realIfThere } from './git-proof.ts'
import { readRegularText } from './regular-file.ts'
import { isWithin } from './within.ts'

/** Parts of a git folder of which git reads some files in almost every command. */
const folders = ['.', 'info', 'objects/info', 'objects/pack']

/** Parts that have folders inside, and how many levels of them git reads. Ours come last: each turn has a folder of its own. */
const trees = [
  { name: 'refs', levels: Number.POSITIVE_INFINITY, without: 'offshoot' },
  { name: 'logs', levels: Number.POSITIVE_INFINITY },
  { name: 'worktrees', levels: 1 },
  { name: 'refs/offshoot', levels: Number.POSITIVE_INFINITY },
]

/** How many folders of these parts are looked at: a repository with more loose refs must not slow down the hook. */
const mostFolders = 200

/** Parts that must be the repository's own: through a link it would show and change the code of another one. */
const ownParts = ['HEAD', 'index', 'objects', 'packed-refs', 'refs', 'worktrees']
const ownFolders = ['objects', 'objects/info', 'objects/pack']

/** Read at the top of a work tree. */
const topNames = ['.gitignore', '.gitattributes', '.gitmodules']

/** Throws `refused` where the repository of this folder, or the git folder that it is, has such a file, or a link where our refs belong. */
export function refusePipes(folder: string): void {
  const { top, gitDirs } = findGitDirs(folder)
  if (top !== null) for (const name of topNames) refuseIfPipe(join(top, name))
  const budget = { left: mostFolders }
  for (const gitDir of new Set(gitDirs)) {
    refuseIfLink(join(gitDir, 'refs', 'offshoot'))
    for (const name of ownParts) refuseIfForeign(join(gitDir, name), gitDir)
    for (const name of ownFolders) {
      const links = namesIn(join(gitDir, name)).filter((entry) => entry.isSymbolicLink())
      // Whatever else is beside the folders of objects is never read.
      const read = links.filter((entry) => name !== 'objects' || /^(?:[\da-f]{2}|info|pack)$/.test(entry.name))
      for (const entry of read) refuseIfForeign(join(gitDir, name, entry.name), gitDir)
    }
    for (const name of folders) refuseInFolder(join(gitDir, name))
    for (const { name, levels, without } of trees) refuseInTree(join(gitDir, name), { levels, without, gitDir }, budget)
    for (const name of ['config', 'config.worktree']) refuseInConfig(join(gitDir, name), top ?? gitDir)
  }
}

interface GitDirs {
  readonly top: string | null
  /** The git folder of the work tree, and the one it shares with others. */
  readonly gitDirs: readonly string[]
}

/** As git looks for it: `.git` of each folder upwards, or the folder itself. */
function findGitDirs(folder: string): GitDirs {
  for (let at = folder; ; at = dirname(at)) {
    const dotGit = join(at, '.git')
    const stat = look(dotGit)
    if (stat?.isDirectory()) return { top: at, gitDirs: withShared(dotGit) }
    if (stat !== null) {
      refuseIfPipe(dotGit)
      const gitDir = linkIn(dotGit, at, /^gitdir: (.+)$/m)
      return { top: at, gitDirs: gitDir === null ? [] : withShared(gitDir) }
    }
    if (isGitDir(at)) return { top: null, gitDirs: withShared(at) }
    if (dirname(at) === at) return { top: null, gitDirs: [] }
  }
}

function withShared(gitDir: string): string[] {
  const shared = linkIn(join(gitDir, 'commondir'), gitDir, /^(.+)$/m)
  return shared === null ? [gitDir] : [gitDir, shared]
}

function linkIn(file: string, base: string, pattern: RegExp): string | null {
  refuseIfPipe(file)
  const target = pattern.exec(textOf(file))?.[1]
  return target === undefined ? null : resolve(base, target.trim())
}

interface Extent {
  readonly levels: number
  readonly without?: string | undefined
  readonly gitDir: string
}

function refuseInTree(folder: string, { levels, without, gitDir }: Extent, budget: { left: number }): void {
  if (budget.left <= 0) return
  budget.left -= 1
  const entries = refuseInFolder(folder)
  for (const entry of entries) if (entry.isSymbolicLink()) refuseIfForeign(join(folder, entry.name), gitDir)
  if (levels <= 0) return
  for (const entry of entries) {
    if (entry.isDirectory() && entry.name !== without)
      refuseInTree(join(folder, entry.name), { levels: levels - 1, gitDir }, budget)
  }
}

function refuseInFolder(folder: string): Dirent[] {
  const entries = namesIn(folder)
  for (const entry of entries) if (!entry.isFile() && !entry.isDirectory()) refuseIfPipe(join(folder, entry.name))
  return entries
}

/** The files that a configuration names and git reads; a relative one lies beside the configuration, or in the work tree. */
function refuseInConfig(file: string, top: string, seen = new Set<string>()): void {
  seen.add(file)
  for (const line of textOf(file).split('\n')) {
    const found = /^(?:\s*\[[^\]]*\])?\s*(path|excludesfile|attributesfile)\s*=\s*(?:"([^"]*)"|([^#;]*))/i.exec(line)
    const [, name, quoted, plain] = found ?? []
    const value = quoted ?? plain?.trim() ?? ''
    if (name === undefined || value === '' || value === '/dev/null') continue
    const isInclude = name.toLowerCase() === 'path'
    const target = resolve(isInclude ? dirname(file) : top, value)
    refuseIfPipe(target)
    if (isInclude && !seen.has(target)) refuseInConfig(target, top, seen)
  }
}

function refuseIfPipe(path: string): void {
  const stat = look(path)
  if (stat === null || stat.isFile() || stat.isDirectory()) return
  // git's file system monitor listens there. Nobody waits for a socket that is opened as a file.
  if (stat.isSocket() && basename(path).endsWith('.ipc')) return
  throw new AppError('refused', `${path} is not a file: git would wait for it without end.`, {
    hint: 'Remove it, or put the file back, and try again.',
  })
}

/** git writes through a link; what offshoot keeps belongs into the repository. */
function refuseIfLink(path: string): void {
  if (!isLink(path)) return
  throw new AppError('refused', `${path} is a link: snapshots are kept in the repository itself.`, {
    hint: 'Put a folder in its place and try again.',
  })
}

/**
 * A link out of the git folder. Google's `repo` keeps what its checkouts share in a `.repo` folder above them: a link into that one
 * stays in the same checkout.
 */
function refuseIfForeign(path: string, gitDir: string): void {
  if (!isLink(path)) return
  const target = realIfThere(path)
  const own = realIfThere(gitDir)
  if (target === null || own === null || isWithin(target, own)) return
  const shared = /^(.*?)\/\.repo\//.exec(target)?.[1]
  if (shared !== undefined && isWithin(own, shared)) return
  throw new AppError('refused', `${path} is a link to ${target}, outside of its repository.`, {
    hint: 'Clone the repository, or use `git worktree add` to share one, and try again.',
  })
}

// Below: what is missing or unreadable is passed over here. git gives the better message.

function look(path: string): Stats | null {
  try {
    const stat = lstatSync(path)
    return stat.isSymbolicLink() ? statSync(path) : stat
  } catch {
    return null
  }
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink()
  } catch {
    return false
  }
}

function namesIn(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}

function textOf(file: string): string {
  try {
    return readRegularText(file)
  } catch {
    return ''
  }
}
