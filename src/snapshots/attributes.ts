// What .gitattributes say of many files. Most files share one of very few sets of attributes: each set is judged once.
import { type BytePath, splitRecords } from './byte-path.ts'
import type { GitSettings } from './git-settings.ts'

/** By name: `set`, `unset` or a value. */
export type Attributes = ReadonlyMap<string, string>

export interface Verdict {
  /** Checkout may write other bytes than the blob's. */
  readonly converts: boolean
  /** git, comparing, may call the file changed though it has the bytes of its blob: it would drop line ends from both. */
  readonly doubtful: boolean
}

/** Output of `check-attr -z --all`: path, name, value. Files without attributes are not in it. */
export function judgeAttributes(output: string, settings: GitSettings): Map<BytePath, Verdict> {
  const verdicts = new Map<Attributes, Verdict>()
  const judged = new Map<BytePath, Verdict>()
  for (const [path, attributes] of readAttributes(output)) {
    const verdict = verdicts.get(attributes) ?? judge(attributes, settings)
    verdicts.set(attributes, verdict)
    judged.set(path, verdict)
  }
  return judged
}

/** Where attributes are read from; so named, wherever it lies. */
export function isAttributeFile(path: BytePath): boolean {
  return /(^|\/)\.gitattributes$/.test(path)
}

/** The same; files with the same attributes share one set. */
export function readAttributes(output: string): Map<BytePath, Attributes> {
  const texts = new Map<BytePath, string>()
  const records = splitRecords(output)
  for (let at = 0; at + 2 < records.length; at += 3) {
    const path = records[at] as BytePath
    texts.set(path, `${texts.get(path) ?? ''}${records[at + 1]}\0${records[at + 2]}\0`)
  }
  const parsed = new Map<string, Attributes>()
  const sets = new Map<BytePath, Attributes>()
  for (const [path, text] of texts) {
    const set = parsed.get(text) ?? parseSet(text)
    parsed.set(text, set)
    sets.set(path, set)
  }
  return sets
}

/** A file without attributes. */
export function judgePlain(settings: GitSettings): Verdict {
  return judge(new Map(), settings)
}

function parseSet(set: string): Attributes {
  const records = splitRecords(set)
  return new Map(records.flatMap((name, at) => (at % 2 === 0 ? [[name, records[at + 1] ?? '']] : [])))
}

/** `text` alone changes nothing on the way out, unless CRLF is wanted; with `auto` nothing on the way in that has CRLF there. */
function judge(attributes: Attributes, { autocrlf, eolIsCrlf }: GitSettings): Verdict {
  const isSet = (name: string) => !['unset', 'unspecified', undefined].includes(attributes.get(name))
  const isBinary = attributes.get('text') === 'unset' || attributes.get('crlf') === 'unset'
  const wantsCrlf = autocrlf === 'true' || (eolIsCrlf && (isSet('text') || isSet('crlf')))
  return {
    converts:
      isSet('filter') ||
      isSet('ident') ||
      isSet('working-tree-encoding') ||
      attributes.get('eol') === 'crlf' ||
      (wantsCrlf && !isBinary),
    doubtful: attributes.get('text') === 'set' || attributes.get('crlf') === 'set' || isSet('eol'),
  }
}
