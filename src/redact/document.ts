// A rendered JSON document without its secrets. Nearly all hold none, and those cost one scan over their joined strings.
import { mayHoldContext, mayHoldToken, needsLint } from './prefilter.ts'
import type { Redactor } from './redact.ts'

/** The same document where there is nothing to take out. */
export async function redactDocument<Document>(redactor: Redactor, document: Document): Promise<Document> {
  const strings: string[] = []
  collect(document, strings)
  const all = strings.join('\n')
  if (!mayHoldToken(all) && !mayHoldContext(all) && !needsLint(all)) return document
  return (await redactor.redactValue(document)) as Document
}

/** With its name before it: some values are secrets only by their names. A loop, since lineage may be deeper than the stack. */
function collect(document: unknown, strings: string[]): void {
  const open: unknown[] = [document]
  for (let value = open.pop(); open.length > 0 || value !== undefined; value = open.pop()) {
    if (typeof value === 'string') strings.push(value)
    else if (Array.isArray(value)) for (const item of value) open.push(item)
    else if (typeof value === 'object' && value !== null) {
      for (const [name, field] of Object.entries(value)) {
        if (typeof field === 'string') strings.push(`"${name}": "${field}"`)
        else open.push(name, field)
      }
    }
  }
}
