// Looks at a work tree in every way git offers, and at its bytes; and proves that a repository was not touched at all.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { at, git } from './scratch.ts'

/** Through a copy of the index: `git diff` would rewrite the original. The copy must look as old as it is. */
export function observe(root: string): Record<string, string | Record<string, string>> {
  const copy = `${root}.index`
  const index = git(root, ['rev-parse', '--path-format=absolute', '--git-path', 'index']).trim()
  rmSync(copy, { force: true })
  if (existsSync(index)) execFileSync('cp', ['-p', index, copy])
  const env = { GIT_OPTIONAL_LOCKS: '0', GIT_INDEX_FILE: copy }
  const ask = (...args: string[]) => git(root, ['-c', 'core.fsmonitor=false', '-c', 'index.sparse=false', ...args], { env })
  return {
    status: ask('status', '--porcelain=v2', '-z', '--untracked-files=all'),
    statusShort: ask('status', '--porcelain=v2', '-z'),
    index: ask('ls-files', '--stage', '-z'),
    flags: ask('ls-files', '-v', '-z'),
    staged: ask('diff', '--cached', '--raw', '-z', '--no-abbrev'),
    unstaged: ask('diff', '--raw', '-z', '--no-abbrev'),
    // A repository that says it cannot tell case apart keeps quiet about a file under another case.
    files: readFiles(root, ask('-c', 'core.ignorecase=false', 'ls-files', '-co', '--exclude-standard', '-z').split('\0')),
  }
}

function readFiles(root: string, names: readonly string[]): Record<string, string> {
  const files: Record<string, string> = {}
  for (const name of new Set(names)) {
    if (name === '' || name.endsWith('/') || isBeyondLink(root, name)) continue
    const stats = lstatSync(at(root, name), { throwIfNoEntry: false })
    if (stats?.isSymbolicLink()) files[name] = `link ${readlinkSync(at(root, name), 'latin1')}`
    else if (stats?.isFile())
      files[name] = `${stats.mode & 0o100 ? 'executable' : 'file'} ${readFileSync(at(root, name), 'latin1')}`
  }
  return files
}

function isBeyondLink(root: string, name: string): boolean {
  const steps = name.split('/')
  return steps.slice(1).some((_, count) => {
    const stats = lstatSync(at(root, steps.slice(0, count + 1).join('/')), { throwIfNoEntry: false })
    return stats === undefined || !stats.isDirectory()
  })
}

/** What making a workspace may add: its own branch, git's note of the worktree. Nothing may change. */
const ours = /^\.git\/(worktrees|logs\/refs\/heads\/offshoot|refs\/heads\/offshoot)(\/|$)/

/** Any git that reads a split index or a sparse one, `git status` too, moves the times of these; their bytes stay. */
const timesMovedByReading = /^\.git\/(sharedindex\.|objects\/)/

/** Kind, mode, size, time, inode and hash of everything, the git folder included. */
export function takeInventory(root: string): Map<string, string> {
  const inventory = new Map<string, string>()
  const open = ['']
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    for (const name of readdirSync(folder === '' ? root : at(root, folder), { encoding: 'latin1' })) {
      const path = folder === '' ? name : `${folder}/${name}`
      if (ours.test(path)) continue
      const stats = lstatSync(at(root, path), { bigint: true })
      if (stats.isDirectory()) open.push(path)
      const timeMatters = !(path.startsWith('.git') && stats.isDirectory()) && !timesMovedByReading.test(path)
      const content = stats.isFile()
        ? readFileSync(at(root, path))
        : stats.isSymbolicLink()
          ? readlinkSync(at(root, path), 'latin1')
          : ''
      const hash = createHash('sha1').update(content).digest('hex')
      inventory.set(path, `${stats.mode} ${stats.ino} ${timeMatters ? stats.mtimeNs : ''} ${hash}`)
    }
  }
  return inventory
}

export function listTouched(before: Map<string, string>, after: Map<string, string>): string[] {
  const paths = new Set([...before.keys(), ...after.keys()])
  return [...paths].filter((path) => before.get(path) !== after.get(path))
}
