// A cut, as the readers of sessions take it.
import type { ReadOptions } from '../agents/reading.ts'
import type { Cut } from '../model/fork.ts'

/** `null`: nothing is kept, there is nothing to read. */
export function readOptionsFor(cut: Cut, lastTurnId: string | null): ReadOptions | null {
  switch (cut.kind) {
    case 'start':
      return null
    case 'tip':
      return lastTurnId === null ? {} : { upTo: { turnId: lastTurnId } }
    case 'turn':
      return { upTo: { turnId: cut.turnId } }
    case 'message':
      return { upTo: { messageId: cut.messageId } }
  }
}
