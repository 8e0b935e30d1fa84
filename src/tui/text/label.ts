// What a person calls a session, before its title.
import { cleanLine } from '../../lib/text/clean.ts'
import { cutToWidth } from '../../lib/text/width.ts'

const widest = 24

/** With a blank behind it; empty: there is none. */
export function labelText(label: string | null | undefined): string {
  return label === null || label === undefined || label === '' ? '' : `[${cutToWidth(cleanLine(label), widest)}] `
}
