// Looks again for the repository of sessions that had none: `git init` came later, or a moved checkout was found again.
import type { CatalogContext } from './context.ts'
import { createRepositories } from './repositories.ts'

export async function rehomeSessions(context: CatalogContext): Promise<void> {
  const store = context.store()
  const homeless = store.sessions.homeless()
  if (homeless.length === 0) return
  const repositories = createRepositories(context)
  for (const { key, cwd } of homeless) {
    const repoId = await repositories.identify(cwd)
    if (repoId !== null) store.sessions.setRepo(key, repoId)
  }
}
