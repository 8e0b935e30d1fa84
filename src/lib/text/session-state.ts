// How a session's state is called on every surface.
import type { CatalogSession } from '../../model/catalog.ts'

/** `restorable`: files of it were deleted, all or some, and offshoot's archive can put them back. */
export function stateWord(state: CatalogSession['state']): 'present' | 'archived' | 'restorable' {
  return state === 'gone' ? 'restorable' : state
}

/** Returns what is unusual about a session, in words: colour alone says nothing to many. */
export function stateMarks({ state, broken }: Pick<CatalogSession, 'state' | 'broken'>): string[] {
  return [...(state === 'present' ? [] : [`[${stateWord(state)}]`]), ...(broken === null ? [] : ['[incomplete]'])]
}
