// Which projects a server opens: those that are named, those of the setting, and without a name the one that the person stands
// in; but never all there is.
import { parse, resolve } from 'node:path'
import type { App } from '../app.ts'
import { isFolder } from '../lib/is-folder.ts'
import { AppError } from '../model/error.ts'
import type { Context } from './context.ts'

/** `implicit: false` for a service, which stands nowhere in particular. */
export async function findRoots(
  context: Context,
  app: App,
  projects: readonly string[],
  { implicit = true }: { readonly implicit?: boolean } = {},
): Promise<readonly string[]> {
  const named = projects.map((path) => projectAt(context, path))
  const set = await context.setting<readonly string[]>('server.allow_repos')
  const own = named.length > 0 || !implicit ? null : await ownRoot(context, app)
  return [...(own === null ? [] : [own]), ...named, ...set]
}

/** A folder that `--project` names. */
export function projectAt({ cwd }: Context, path: string): string {
  // An unset variable of a script must not open wherever it runs.
  if (path.trim() === '') throw new AppError('usage', '--project is empty.', { hint: 'Name the folder of a project.' })
  const folder = resolve(cwd, path)
  if (!isFolder(folder)) {
    throw new AppError('usage', `--project: there is no folder ${folder}`, { hint: 'Name the folder of a project.' })
  }
  return folder
}

async function ownRoot({ cwd, home }: Context, app: App): Promise<string | null> {
  const repository = await app.repositoryOf(cwd).catch((error: unknown) => {
    if (error instanceof AppError) return null // no git: then the folder itself
    throw error
  })
  const root = repository?.root ?? cwd
  return root === parse(root).root || root === resolve(home) ? null : root
}
