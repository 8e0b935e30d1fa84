// How a session's state is called on every surface.
import type { CatalogSession } from '../../model/catalog.ts'

/** `restorable`: its agent deleted it, and offshoot's archive can put it back. */
export function stateWord(state: CatalogSession['state']): 'present' | 'archived' | 'restorable' {
  return state === 'gone' ? 'restorable' : state
}
