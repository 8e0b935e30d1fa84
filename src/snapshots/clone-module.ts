// A submodule's repository for a workspace, made from the one beside it: objects are hard links where the disk allows, settings, hooks
// and files of LFS come along. It lies where git itself would put it, in the worktree's own git folder, and goes with it.
import { copyFile, link, mkdir, readdir, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { fileErrorCode, isMissing } from '../lib/file-errors.ts'
import { anySize, loadRegular } from '../lib/regular-file.ts'
import { AppError } from '../model/error.ts'
import { showPath } from './byte-path.ts'
import type { ReadySubmodule } from './find-submodules.ts'
import type { Git } from './git.ts'
import { look } from './look.ts'

const cloneTimeoutMs = 30 * 60_000
/** The repository is made in `gitDir`, for a work tree at `place`, with HEAD at the submodule's commit and nothing checked out. */
export async function cloneModule(git: Git, { source, commit }: ReadySubmodule, gitDir: string, place: string): Promise<void> {
  await mkdir(dirname(gitDir), { recursive: true })
  const clone = ['clone', '--quiet', '--mirror', '--template=', '--', source.commonDir, gitDir]
  await git(clone, { cwd: source.commonDir, reaches: 'local', timeoutMs: cloneTimeoutMs })
  for (const file of ['config', 'config.worktree']) await copyIfThere(join(source.commonDir, file), join(gitDir, file))
  for (const folder of ['info', 'hooks']) await copyFolder(join(source.commonDir, folder), join(gitDir, folder), copyFile)
  await copyFolder(join(source.commonDir, 'lfs', 'objects'), join(gitDir, 'lfs', 'objects'), linkOrCopy)
  // Not from inside of it: the settings that were copied lead to the work tree of the source.
  const call = { cwd: place, accept: [0, 5] }
  const set = (key: string, value: string) => git(['config', '--file', join(gitDir, 'config'), key, value], call)
  const own = join(gitDir, 'config.worktree')
  if ((await look(own)) !== null) await git(['config', '--file', own, '--unset-all', 'core.worktree'], call)
  await set('core.bare', 'false')
  await set('core.worktree', relative(gitDir, place))
  await set(sourceKey, source.commonDir)
  await dropOtherRefs(git, gitDir)
  await git(['update-ref', '--no-deref', 'HEAD', commit], { cwd: gitDir })
  await writeFile(join(place, '.git'), `gitdir: ${relative(place, gitDir)}\n`, { flag: 'wx' })
}

/** Under which the repository it was made from is written down. */
const sourceKey = 'offshoot.source'

/** `null` for a repository that was not made here. */
export async function readModuleSource(git: Git, gitDir: string): Promise<string | null> {
  const { stdout } = await git(['config', '--file', join(gitDir, 'config'), '--get', sourceKey], { cwd: gitDir, accept: [0, 1] })
  return showPath(stdout.trim()) || null
}

/** Branches, remotes and tags are all a submodule needs; a stash and snapshots are of where they were made. */
async function dropOtherRefs(git: Git, gitDir: string): Promise<void> {
  const { stdout } = await git(['for-each-ref', '--format=%(refname)'], { cwd: gitDir })
  const others = stdout.split('\n').filter((ref) => ref !== '' && !/^refs\/(heads|remotes|tags)\//.test(ref))
  if (others.length === 0) return
  const input = others.map((ref) => `delete ${ref}\n`).join('')
  await git(['update-ref', '--no-deref', '--stdin'], { cwd: gitDir, input })
}

async function copyIfThere(from: string, to: string): Promise<void> {
  try {
    await writeFile(to, await loadRegular(from, anySize))
  } catch (error) {
    if (!isMissing(error)) throw error
  }
}

/** Files and folders; nothing where there is none. */
async function copyFolder(from: string, to: string, copy: (from: string, to: string) => Promise<void>): Promise<void> {
  const entries = await readdir(from, { withFileTypes: true }).catch((error: unknown) => {
    if (isMissing(error)) return []
    throw error
  })
  if (entries.length > 0) await mkdir(to, { recursive: true })
  for (const entry of entries) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) await copyFolder(source, target, copy)
    else if (entry.isFile()) await copy(source, target)
  }
}

async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to)
  } catch (error) {
    if (!['EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP'].includes(fileErrorCode(error) ?? '')) throw error
    await copyFile(from, to)
  }
}

/** Where a worktree keeps the repository of a submodule, by the submodule's name. Throws where the name would lead elsewhere. */
export function placeModule(gitDir: string, name: string, others: readonly string[]): string {
  const steps = name.split('/')
  const safe = steps.every((step) => /^[\w.@+ -]+$/.test(step) && !/^\.{1,2}$/.test(step) && !/^\.git$/i.test(step))
  // One inside another would lie among that one's own files.
  const nested = others.some((other) => other !== name && (name.startsWith(`${other}/`) || other.startsWith(`${name}/`)))
  if (!safe || nested) throw new AppError('refused', `its name "${name}" cannot be used for a folder`)
  return join(gitDir, 'modules', ...steps)
}
