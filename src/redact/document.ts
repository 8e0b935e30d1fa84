// A rendered JSON document without its secrets. Nearly all hold none, and those cost one scan over their strings; of the
// others only the parts that may hold one are looked into.
import { needsLint } from './prefilter.ts'
import { placeOfField, placeOfItem, type Redactor, redactKnown, redactKnownInPlace } from './redact.ts'

/** The same document where there is nothing to take out. */
export async function redactDocument<Document>(redactor: Redactor, document: Document): Promise<Document> {
  return (await redactPart(redactor, document)) as Document
}

async function redactPart(redactor: Redactor, part: unknown, place = ''): Promise<unknown> {
  if (!mayHoldSecret(part, place)) return part
  if (typeof part !== 'object' || part === null) return redactor.redactValue(part)
  if (Array.isArray(part) && part.every((item) => typeof item === 'object')) {
    return Promise.all(part.map((item) => redactPart(redactor, item)))
  }
  if (Array.isArray(part)) return redactor.redactValue(part, place)
  // Strings together, since one may name what another is; the rest each for itself.
  const strings = Object.fromEntries(Object.entries(part).filter(([, field]) => typeof field === 'string'))
  const clean = Object.entries((await redactor.redactValue(strings)) as Record<string, unknown>)
  const fields: [string, unknown][] = []
  for (const [name, field] of Object.entries(part)) {
    const next = typeof field === 'string' ? clean.shift() : undefined
    fields.push(next ?? [await redactor.redact(name), await redactPart(redactor, field, placeOfField(part, name))])
  }
  return Object.fromEntries(fields)
}

/** A loop, since lineage may be deeper than the stack. */
function mayHoldSecret(document: unknown, placeOfDocument: string): boolean {
  const open: [value: unknown, place: string][] = [[document, placeOfDocument]]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [value, place] = next
    if (typeof value === 'string') {
      if (isChanged(value, redactKnown(value))) return true
    } else if (Array.isArray(value)) {
      for (const [at, item] of value.entries()) {
        if (typeof item !== 'string') open.push([item, ''])
        else if (isChanged(item, redactKnownInPlace(placeOfItem(value, at, place), item))) return true
      }
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, field] of Object.entries(value)) {
        const placeOfValue = placeOfField(value, name)
        open.push([name, ''])
        if (typeof field !== 'string') open.push([field, placeOfValue])
        else if (isChanged(field, redactKnownInPlace(placeOfValue, field))) return true
      }
    }
  }
  return false
}

function isChanged(text: string, known: string): boolean {
  return known !== text || needsLint(text)
}
