// A person's own name for a session, beside the agent's title. It stands in our store only.
import { cleanLine } from '../lib/clean-text.ts'
import type { CatalogSession } from '../model/catalog.ts'
import type { CatalogContext } from './context.ts'

/** Long enough for a thought, short enough for a list; in characters as a person counts them. */
const longest = 60
const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** Gives the label as it is kept; `null`, or nothing but blanks: it is taken away. */
export function labelSession(context: CatalogContext, { agent, id }: CatalogSession, given: string | null): string | null {
  // The segmenter's time grows with the square of the text: what is far too long is cut before.
  const clean = cleanLine((given ?? '').slice(0, longest * 100))
  const label = [...graphemes.segment(clean)]
    .slice(0, longest)
    .map(({ segment }) => segment)
    .join('')
    .trim()
  const store = context.store()
  if (label === '') store.write(() => store.labels.remove(agent, id))
  else store.write(() => store.labels.put({ agent, sessionId: id, label }))
  return label === '' ? null : label
}
