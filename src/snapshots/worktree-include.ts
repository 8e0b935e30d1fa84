// `.worktreeinclude`: the ignored files (.env and the like) a repository wants in its worktrees, in the syntax of .gitignore.
// git itself does the matching; only ignored files count, what is tracked or untracked comes along anyway.
import { join } from 'node:path'
import { type BytePath, folderOf, joinRecords, placeOf, showPath, splitRecords } from './byte-path.ts'
import { copyFiles } from './copy-files.ts'
import type { Git } from './git.ts'
import { listProblems } from './left-behind.ts'
import { look } from './look.ts'
import type { WorkTree } from './repository.ts'
import { readStatus, type Status } from './status.ts'

const fileName = '.worktreeinclude'

/** A pattern without a slash is looked for in ignored folders too, as .gitignore would: the price is a walk through them. */
export async function findIncluded(git: Git, root: string, index: string, status: Status): Promise<BytePath[]> {
  if (!(await hasIncludeFile(root))) return []
  const patterns = join(root, fileName)
  const { stdout } = await git(['ls-files', '-z', '--others', '--ignored', `--exclude-from=${patterns}`], { cwd: root, index })
  const untracked = new Set(status.entries.filter((entry) => entry.kind === 'untracked').map((entry) => entry.path))
  const matches = splitRecords(stdout) as BytePath[]
  return matches.filter((path) => !path.endsWith('/') && !untracked.has(path))
}

/** Not through a link: a hostile repository could point it at a device. */
async function hasIncludeFile(root: string): Promise<boolean> {
  return (await look(join(root, fileName)))?.isFile() ?? false
}

export interface IncludedFiles {
  readonly copied: number
  /** What was named and could not be taken along, in words. */
  readonly notes: readonly string[]
}

/** Copies them as they are now. What the child's own code does not ignore stays out: the next turn would commit it. */
export async function copyIncluded(git: Git, source: WorkTree, child: WorkTree): Promise<IncludedFiles> {
  if (!(await hasIncludeFile(source.root))) return { copied: 0, notes: [] }
  const wanted = await findIncluded(git, source.root, source.indexPath, await readStatus(git, source.root))
  const { ignored, visible, blocked } = await sortForChild(git, child, wanted)
  const { copied, problems } = await copyFiles(source.root, child.root, ignored)
  const refused = [
    ...visible.map((path) => `${showPath(path)} (not ignored there)`),
    ...blocked.map((path) => `${showPath(path)} (its folder is not a directory there)`),
  ]
  const failed = listProblems(problems).map(({ path, reason }) => `${path} (${reason.replaceAll('-', ' ')})`)
  const left = [...refused, ...failed]
  return { copied, notes: left.length === 0 ? [] : [`Named in ${fileName} and not copied: ${left.join(', ')}.`] }
}

/** What is there already came with the code. */
async function sortForChild(git: Git, { root }: WorkTree, wanted: readonly BytePath[]) {
  const isOpen = createWayCheck(root)
  const blocked: BytePath[] = []
  const absent: BytePath[] = []
  for (const path of wanted) {
    if (!(await isOpen(folderOf(path)))) blocked.push(path)
    else if ((await look(placeOf(root, path))) === null) absent.push(path)
  }
  if (absent.length === 0) return { ignored: [], visible: [], blocked }
  const input = joinRecords(absent)
  const { stdout } = await git(['check-ignore', '-z', '--stdin'], { cwd: root, input, accept: [0, 1] })
  const isIgnored = new Set(splitRecords(stdout))
  return {
    ignored: absent.filter((path) => isIgnored.has(path)),
    visible: absent.filter((path) => !isIgnored.has(path)),
    blocked,
  }
}

/** Whether everything on the way to a folder is a directory, or not there yet. */
function createWayCheck(root: string): (folder: BytePath | null) => Promise<boolean> {
  const known = new Map<BytePath, Promise<boolean>>()
  const check = (folder: BytePath | null): Promise<boolean> => {
    if (folder === null) return Promise.resolve(true)
    const found = known.get(folder) ?? isOpen(folder)
    known.set(folder, found)
    return found
  }
  const isOpen = async (folder: BytePath) =>
    (await check(folderOf(folder))) && ((await look(placeOf(root, folder)))?.isDirectory() ?? true)
  return check
}
