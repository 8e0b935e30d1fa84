// A rendered JSON document without its secrets. Nearly all hold none, and those cost one scan over their joined strings; of the
// others only the parts that may hold one are looked into.
import { needsLint } from './prefilter.ts'
import { type Redactor, redactKnown } from './redact.ts'

/** The same document where there is nothing to take out. */
export async function redactDocument<Document>(redactor: Redactor, document: Document): Promise<Document> {
  return (await redactPart(redactor, document)) as Document
}

async function redactPart(redactor: Redactor, part: unknown): Promise<unknown> {
  if (!mayHoldSecret(part)) return part
  if (Array.isArray(part)) return Promise.all(part.map((item) => redactPart(redactor, item)))
  if (typeof part !== 'object' || part === null) return redactor.redactValue(part)
  const fields: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(part)) {
    // A string with its name: some values are secrets only by that, and a name may be one itself.
    if (typeof field === 'string') Object.assign(fields, await redactor.redactValue({ [name]: field }))
    else fields[await redactor.redact(name)] = await redactPart(redactor, field)
  }
  return fields
}

function mayHoldSecret(part: unknown): boolean {
  const strings: string[] = []
  collect(part, strings)
  const all = strings.join('\n')
  return redactKnown(all) !== all || needsLint(all)
}

/** A loop, since lineage may be deeper than the stack. */
function collect(document: unknown, strings: string[]): void {
  const open: unknown[] = [document]
  while (open.length > 0) {
    const value = open.pop()
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
