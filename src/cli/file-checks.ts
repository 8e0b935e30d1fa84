// What `doctor` reports of offshoot's own files: where something that is not a file is in the place of one. `doctor --fix` moves it aside,
// and never deletes it.
import { readdirSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { withLockFile } from '../lib/lock-file.ts'
import { oddKind } from '../lib/odd-kind.ts'
import { AppError } from '../model/error.ts'
import type { Context } from './context.ts'
import type { OwnCheck } from './own-checks.ts'

/** Folders of the home that have locks or logs in them. */
const folders = ['', 'captures', 'locks', 'logs', 'qmd']

/** The settings and the database have checks of their own. */
const ownFiles = /^(?:token|(?:tokens|server|background)\.json|.+\.(?:lock|log))$/

export function checkFiles({ paths, now }: Context): readonly OwnCheck[] {
  const files = folders.flatMap((folder) =>
    namesIn(join(paths.root, folder))
      .filter(isOwn)
      .map((name) => join(paths.root, folder, name)),
  )
  return files.flatMap((path): OwnCheck[] => {
    const kind = oddKind(path)
    if (kind === null || isUsableLink(path)) return []
    const message = `${path} is ${kind}, and offshoot keeps a file there`
    const fix = `Move ${path} away, or run \`offshoot doctor --fix\`, which renames it`
    return [{ id: 'files', state: 'fail', message, fix, mend: () => moveAside(path, `${path}.moved-${now()}`) }]
  })
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return [] // the folder is not made yet, or has a check of its own
  }
}

function isOwn(name: string): boolean {
  return ownFiles.test(name)
}

/** A log may be kept elsewhere. Locks and secrets are not taken from behind a link. */
function isUsableLink(path: string): boolean {
  return path.endsWith('.log') && statSync(path, { throwIfNoEntry: false })?.isFile() === true
}

/** One process at a time: a second one would move away the file that another command has made in its place. */
async function moveAside(path: string, target: string): Promise<void> {
  const onBusy = () => new AppError('busy', `Another process is moving ${path} aside.`, { hint: 'Try again in a moment.' })
  const move = async () => {
    if (oddKind(path) !== null) renameSync(path, target)
  }
  await withLockFile(`${path}.moving`, move, { maxTries: 200, onBusy })
}
