// The guarded apps of a server: its own, and one for each token that may see fewer projects. Those go with their token.
import type { GuardedApp } from '../../guarded-app.ts'

/** `projects` is the token's own list: the same list gets the same guard, for as long as the token lives. */
export function createGuards(make: (projects: readonly string[]) => GuardedApp): (projects?: readonly string[]) => GuardedApp {
  let own: GuardedApp | undefined
  const narrowed = new WeakMap<readonly string[], GuardedApp>()
  return (projects = []) => {
    if (projects.length === 0) {
      own ??= make([])
      return own
    }
    const known = narrowed.get(projects) ?? make(projects)
    narrowed.set(projects, known)
    return known
  }
}
