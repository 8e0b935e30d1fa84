// A session's entries as the turns the index wants of it, each collected while it is read.
import { setImmediate as nextTick } from 'node:timers/promises'
import type { Entry } from '../../agents/reading.ts'
import type { IndexedTurn } from '../../store/search-index.ts'
import { type CollectedTurn, collectMessage } from './prepare.ts'

/** A title is indexed like a turn of its own, under an id no agent's turn can have. */
export const titleId = ''

/** A long session is read in one go otherwise, and no signal gets through. */
const breathMs = 10

export interface Wanted {
  readonly title: string
  readonly cwd: string | null
  readonly turns: ReadonlyMap<string, IndexedTurn>
}

export async function* readTurns(entries: AsyncIterable<Entry>, { title, cwd, turns }: Wanted): AsyncGenerator<CollectedTurn> {
  const begin = (turn: IndexedTurn): CollectedTurn => ({ turn, cwd, pieces: [], toolText: 0 })
  const named = turns.get(titleId)
  if (named !== undefined) yield { ...begin(named), pieces: [{ field: 'prompt', text: title }] }
  // Opening the session is what costs: not for its title alone.
  if (turns.size === (named === undefined ? 0 : 1)) return
  let open: CollectedTurn | null = null
  const folders = new Set<string | null>()
  let breathedAt = performance.now()
  for await (const entry of entries) {
    if (entry.kind === 'turn') {
      if (open !== null) yield open
      folders.add(entry.turn.cwd ?? cwd)
      const turn = turns.get(entry.turn.id)
      open = turn === undefined ? null : begin(turn)
      if (performance.now() - breathedAt > breathMs) {
        await nextTick()
        breathedAt = performance.now()
      }
    } else if (entry.kind === 'message' && open !== null) {
      // It retells turns of folders that whoever may see this turn may not see.
      if (entry.message.role !== 'summary' || folders.size <= 1) collectMessage(open, entry.message)
    }
  }
  if (open !== null) yield open
}
