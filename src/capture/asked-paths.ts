// Paths as a person gives them (relative to where they stand) as paths of the work tree. What lies outside of it is refused.
import { realpath } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { isMissing } from '../lib/file-errors.ts'
import { AppError } from '../model/error.ts'

/** `base` is the folder they are relative to. `.` and the root itself mean everything below. */
export async function placePaths(root: string, base: string, paths: readonly string[]): Promise<string[]> {
  return Promise.all(paths.map((path) => placePath(root, base, path)))
}

async function placePath(root: string, base: string, path: string): Promise<string> {
  if (path === '') throw new AppError('usage', 'A path is empty.')
  // Where it lies, not where it leads: a link is itself a file of the work tree.
  const place = await realParent(resolve(base, path))
  const inside = relative(root, place)
  if (inside === '..' || inside.startsWith(`..${sep}`) || inside.startsWith(sep)) {
    throw new AppError('usage', `${path} is outside of the work tree ${root}.`, { hint: 'Name files below it.' })
  }
  if (inside === '.git' || inside.startsWith(`.git${sep}`))
    throw new AppError('usage', `${path} is git's own; it is in no snapshot.`)
  return inside === '' ? '.' : inside
}

/** Folders above it that are links are followed, as the person's shell did; what is gone stays as it was written. */
async function realParent(place: string): Promise<string> {
  const parent = dirname(place)
  if (parent === place) return place
  try {
    return join(await realpath(parent), basename(place))
  } catch (error) {
    if (!isMissing(error)) throw error
    return join(await realParent(parent), basename(place))
  }
}
