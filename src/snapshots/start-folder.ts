// Maps the folder a session ran in to the same place in its workspace: a session of packages/x starts in packages/x.
import { mkdir, realpath } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { look } from './look.ts'

export interface StartFolder {
  readonly path: string
  /** Said to the person when it is not simply the same folder. */
  readonly note: string | null
}

/** Pure: where it would be. `folder` may be gone; what is outside of the source maps to the root. */
export async function mapFolder(sourceRoot: string, folder: string, childRoot: string): Promise<string> {
  const real = await realpath(folder).catch(() => folder)
  const steps = relative(sourceRoot, real)
  return steps === '..' || steps.startsWith(`..${sep}`) ? childRoot : join(childRoot, steps)
}

/** git keeps no empty folders and leaves ignored ones behind: such a folder is made, since an agent cannot start without it. */
export async function openStartFolder(childRoot: string, wanted: string): Promise<StartFolder> {
  let path = childRoot
  for (const step of relative(childRoot, wanted).split(sep)) {
    if (step === '') continue
    const next = join(path, step)
    const stats = await look(next)
    if (stats === null) {
      await mkdir(wanted, { recursive: true })
      return { path: wanted, note: `${relative(childRoot, wanted)} is not in the workspace's code; an empty folder was made.` }
    }
    // Never through a link: it may lead out of the workspace, back into the source.
    if (!stats.isDirectory())
      return { path: childRoot, note: `${relative(childRoot, next)} is no folder in the workspace; starting in its root.` }
    path = next
  }
  return { path, note: null }
}
