// Git says "not a git repository" also where it was not able to look: HEAD may not be read, or there are too many open files. Taken for
// an absence, a fork would leave the code behind and an undo its branch.
import { basename, dirname, join, resolve } from 'node:path'
import { isMissing } from '../lib/file-errors.ts'
import { explainMachine } from '../lib/machine-fault.ts'
import { loadRegularText } from '../lib/regular-file.ts'
import { AppError } from '../model/error.ts'
import { look } from './look.ts'

/** The error for git's word that a folder is in no repository: `repo_not_found` only where that is true. */
export async function explainNoRepository(folder: string): Promise<AppError> {
  try {
    const found = await findUnseen(folder)
    if (found === null) return new AppError('repo_not_found', `${folder} is in no git repository.`)
    return new AppError('failed', `git did not recognise the repository ${found}.`, {
      hint: 'Try again; if the error stays, run `git status` there.',
    })
  } catch (error) {
    const explained = explainMachine(error)
    if (explained instanceof AppError) return explained
    throw error
  }
}

/** As git looks for it: `.git` of each folder upwards on the same disk, or the folder itself. Throws what cannot be looked at. */
async function findUnseen(folder: string): Promise<string | null> {
  const device = (await look(folder))?.dev
  for (let at = folder; (await look(at))?.dev === device; at = dirname(at)) {
    for (const place of [join(at, '.git'), at]) {
      const gitDir = await gitDirAt(place)
      if (gitDir !== null && (await isRepository(gitDir))) return gitDir
    }
    if (dirname(at) === at) break
  }
  return null
}

async function gitDirAt(place: string): Promise<string | null> {
  if (basename(place) !== '.git' || (await look(join(place, 'HEAD'))) !== null) return place
  const target = /^gitdir: (.+)$/m.exec((await textOf(place)) ?? '')?.[1]
  return target === undefined ? null : resolve(dirname(place), target)
}

/** What git asks for: a HEAD that names something, `objects` and `refs`, which work trees share. */
async function isRepository(gitDir: string): Promise<boolean> {
  const head = await textOf(join(gitDir, 'HEAD'))
  if (head === null || !/^(?:ref: *refs\/|[\da-f]{40})/.test(head)) return false
  const commonDir = resolve(gitDir, (await textOf(join(gitDir, 'commondir')))?.trim() ?? '.')
  const parts = await Promise.all(['objects', 'refs'].map((name) => look(join(commonDir, name))))
  return parts.every((part) => part !== null)
}

async function textOf(path: string): Promise<string | null> {
  const stats = await look(path)
  if (stats === null || stats.isDirectory()) return null
  return loadRegularText(path).catch((error: unknown) => {
    if (isMissing(error)) return null
    throw error
  })
}
