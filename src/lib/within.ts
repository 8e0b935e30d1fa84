// Whether a folder lies within another, told by real paths: a link that leads out of a root leads out, `/a/proj-evil` is not in
// `/a/proj`, and a folder that is gone is judged by what is left of its way there.
import { readlinkSync, realpathSync } from 'node:fs'
import { dirname, isAbsolute, join, normalize, relative, resolve, sep } from 'node:path'

/** Both as `realFolder` gives them. */
export function isWithin(folder: string, root: string): boolean {
  return folder === root || folder.startsWith(root.endsWith(sep) ? root : `${root}${sep}`)
}

/**
 * The path with every link in it resolved; what does not exist (any more) is kept below the nearest folder that does. `null`:
 * not a path anything here could be told of (relative, a NUL in it, links in a circle, a folder we may not look into).
 */
export function realFolder(folder: string): string | null {
  return resolveFolder(folder, maxLinks)
}

/** Whether it reaches its folder without a link: then what was once found out about it by this name is about this folder. */
export function isPlain(folder: string): boolean {
  return realFolder(folder) === trimEnd(normalize(folder))
}

const maxLinks = 40

function resolveFolder(folder: string, linksLeft: number): string | null {
  if (!isAbsolute(folder) || folder.includes('\0') || linksLeft === 0) return null
  const whole = realPath(folder)
  if (whole !== 'missing') return whole
  // The folder above a link is not the one above what it leads to: without the kernel nobody can tell which is meant.
  if (folder.split(sep).includes('..')) return null
  for (let at = normalize(folder); ; at = dirname(at)) {
    const rest = relative(at, normalize(folder))
    const target = targetOfLink(at)
    if (target !== null) return resolveFolder(join(resolve(dirname(at), target), rest), linksLeft - 1)
    const real = realPath(at)
    if (real === null || (real === 'missing' && dirname(at) === at)) return null
    if (real !== 'missing') return trimEnd(join(real, rest))
  }
}

/** Of a link that leads nowhere; any other the system resolves itself. */
function targetOfLink(path: string): string | null {
  try {
    return realPath(path) === 'missing' ? readlinkSync(path) : null
  } catch {
    return null // not there, or no link
  }
}

function realPath(path: string): string | null | 'missing' {
  try {
    // The system's own: `/a/link/..` as the kernel reads it, and names as they are spelled on disk, where case does not matter.
    return realpathSync.native(path)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : ''
    return code === 'ENOENT' || code === 'ENOTDIR' ? 'missing' : null
  }
}

function trimEnd(path: string): string {
  return path.length > 1 && path.endsWith(sep) ? path.slice(0, -1) : path
}
