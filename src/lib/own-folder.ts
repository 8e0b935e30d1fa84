// What may be cleared in offshoot's own folder. That folder itself may be a link; one below it leads to files that offshoot did not make.
import { lstatSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isMissing } from './file-errors.ts'

/** Names in a folder below `home` that may be removed: none where a link leads there, and no links. */
export function listOwnNames(home: string, folder: string): string[] {
  return isBehindLink(home, folder) ? [] : readdirIfThere(folder).filter((name) => !isLink(join(folder, name)))
}

/** Whether a link stands at this place, or on the way there from `home`. */
export function isBehindLink(home: string, path: string): boolean {
  for (let at = path; at !== home && dirname(at) !== at; at = dirname(at)) if (isLink(at)) return true
  return false
}

/** The links at the given places below `home` and, where `inside` says so, those directly in them. */
export function findLinks(places: readonly { readonly path: string; readonly inside?: boolean }[]): string[] {
  return places.flatMap(({ path, inside = false }) => {
    if (isLink(path)) return [path]
    return inside
      ? readdirIfThere(path)
          .map((name) => join(path, name))
          .filter(isLink)
      : []
  })
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true
}

function readdirIfThere(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}
