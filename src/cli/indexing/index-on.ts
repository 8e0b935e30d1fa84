// Indexing that was cut off for a quick answer goes on in a process of its own, so that the next search has everything.
import type { Context } from '../context.ts'
import { startApart } from './start-apart.ts'

/** Gives its process, or `null`: an index that stays as it is for now is no fault. */
export function indexOn(context: Pick<Context, 'vars' | 'home' | 'log'>): number | null {
  return startApart(context, 'index')
}
