// Sessions of which only some turns may be seen: the chunks of the others are taken out of the view, so that they are neither
// ranked nor quoted. A chunk that belongs to no turn (the title) is taken out too.
import type { SearchQuery } from '../../model/search.ts'
import type { Store } from '../../store/store.ts'
import type { View } from './view.ts'

export function withoutHidden(store: Store, view: View, turnsOf: SearchQuery['turnsOf']): View {
  if (turnsOf === undefined || turnsOf.size === 0) return view
  const { lookup } = store.search
  const sessions = view.sessions.slice()
  for (const [key, seen] of keysOf(store, turnsOf)) {
    for (const chunk of lookup.chunksOf(key)) if (!seen.has(chunk.turnId)) sessions[chunk.key] = 0
  }
  return { ...view, sessions }
}

/** Whether a turn of a session, by its key in the index, may not be seen. */
export function hiddenIn(store: Store, turnsOf: SearchQuery['turnsOf']): (sessionKey: number, turnId: string) => boolean {
  if (turnsOf === undefined || turnsOf.size === 0) return () => false
  const seen = keysOf(store, turnsOf)
  return (sessionKey, turnId) => seen.get(sessionKey)?.has(turnId) === false
}

function keysOf({ search: { lookup } }: Store, turnsOf: NonNullable<SearchQuery['turnsOf']>): Map<number, ReadonlySet<string>> {
  const keys = [...lookup.keysOf(new Set(turnsOf.keys()))]
  return new Map(
    keys.flatMap((key) => {
      const place = lookup.place(key)
      const seen = place === null ? undefined : turnsOf.get(`${place.agent}:${place.path}`)
      return seen === undefined ? [] : [[key, seen] as const]
    }),
  )
}
