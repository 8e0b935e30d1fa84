// Where recorded edits lie in the repository. A file may be named through a link, or lie in a work tree that is gone; taken for
// one of elsewhere, its edit would be missing without a word.
import { existsSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import type { RecordedEdit } from '../agents/recorded-edits.ts'
import { isFolder } from '../lib/is-folder.ts'

export interface EditPlaces {
  /** The work tree they all lie in; `null`: none of them lies in any. */
  readonly root: string | null
  /** The path inside of it; `null` for a file that is none of the repository's. */
  pathOf(path: string): string | null
}

/** Or why that cannot be told. `roots`: every name of every work tree, the longest first. */
export async function placeEdits(roots: readonly string[], edits: readonly RecordedEdit[]): Promise<EditPlaces | string> {
  const places = new Map<string, string | null>()
  const found = new Map<string, string>()
  for (const path of edits.flatMap(({ path, movedTo }) => (movedTo === undefined ? [path] : [path, movedTo]))) {
    const full = await truePath(path)
    const root = roots.find((each) => full.startsWith(`${each}/`))
    if (root === undefined && !isFolder(dirname(full))) return `the folder of ${path} is gone`
    const inside = root === undefined ? null : relative(root, full).split(sep)
    if (root === undefined || inside === null || inside.some((step) => step.toLowerCase() === '.git')) {
      places.set(path, null)
      continue
    }
    const nested = inside.slice(0, -1).map((_, i) => join(root, ...inside.slice(0, i + 1)))
    if (nested.some((folder) => existsSync(join(folder, '.git')))) return `${inside.join('/')} lies in a repository of its own`
    places.set(path, inside.join('/'))
    found.set(await realpath(root).catch(() => root), root)
  }
  if (found.size > 1) return 'files of more than one work tree were edited'
  return { root: [...found.values()][0] ?? null, pathOf: (path) => places.get(path) ?? null }
}

/** With the links among its folders resolved, as far as there are such folders. */
export async function truePath(path: string): Promise<string> {
  const full = resolve(path)
  const rest = [basename(full)]
  for (let folder = dirname(full); ; folder = dirname(folder)) {
    const real = await realpath(folder).catch(() => null)
    if (real !== null) return join(real, ...rest)
    if (folder === dirname(folder)) return full
    rest.unshift(basename(folder))
  }
}
