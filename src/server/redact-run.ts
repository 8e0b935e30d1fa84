// The events of a running turn without secrets. A secret may arrive in pieces, so text is held back to the end of a word and
// judged with the lines before it; a private key is held back whole.
import type { RunEvent } from '../model/run.ts'
import { redactDocument } from '../redact/document.ts'
import type { Redactor } from '../redact/redact.ts'

type Delta = Extract<RunEvent, { readonly delta: string }>

export interface RunRedactor {
  /** What may be passed on now, in order; what is held back comes with a later event. */
  push(event: RunEvent): Promise<readonly RunEvent[]>
  /** What is still held back. */
  flush(): Promise<readonly RunEvent[]>
}

const maxHeld = 32_768
/** What a word is judged with: names and kinds that make a secret of it may be some lines above. */
const contextLength = 2000
/** Or what may still become its first line. */
const keyBegin = /-----BEGIN[A-Z -]{0,60}$|-----BEGIN [A-Z ]{0,30}PRIVATE KEY/
const keyEnd = /-----END [A-Z ]{0,30}PRIVATE KEY[A-Z ]{0,10}-----/
/** What only its end makes a secret, or what comes with it. */
const undecided = new RegExp(
  [
    // A line that may be piped into `sudo`.
    /(?<![\w-])(?:echo|printf)\s[^\n]{0,500}$/,
    // The data of what may be a Kubernetes Secret, perhaps one of a list.
    /(?<=^|\n)[ \t-]{0,40}data:\n(?:[ \t][^\n]{0,5000}(?:\n|$)){0,50}[^\n]{0,20}$/,
    // A key in front of its kind, a value in front of its name: until the word that ends them is whole.
    /\{[^\n{}]{0,2000}"(?:k|value)"\s{0,4}:[^\n{}]{0,2000}(?:\}\S{0,200})?$/,
    /<input\b[^\n<>]{0,2000}(?:>\S{0,200})?$/,
    // A row of a table: its first cell may name the second.
    /(?<=^|\n)[ \t]{0,20}\|[^\n]{0,2000}$/,
    // A list of codes, in the same line or below it.
    /(?:recovery|backup) codes?\b[^\n]{0,400}(?:\n(?:[\w \t.,;*•`-]{0,60}\n){0,30}[\w \t.,;*•`-]{0,60})?$/,
    // Several values behind a plural name: in quotes, in brackets, as a list of YAML. They are replaced together.
    /(?:password|passwd|passphrase|secret|token|key)s["'`\]]{0,2}\s{0,4}(?:=>|:?=|:)\s{0,4}(?:"[^"\n]{0,2000}(?:"\S{0,200})?|'[^'\n]{0,2000}(?:'\S{0,200})?|(?:\[\]\w{1,10})?[[({](?=(?<list>[^\])}]{0,400}))\k<list>(?:[\])}]\S{0,200})?|(?:(?<=\n\s{0,3})[ \t]{0,20}-[^\n]{0,300}\n){0,40}[ \t]{0,20}(?:-[^\n]{0,300})?)?$/,
    // Lines that may be the rest of a private key, perhaps numbered.
    /(?<=^|\n)[ \t]{0,20}(?:\d{1,6}[→\t])?[\w+/=]{40,100}[ \t]{0,20}(?:\n[ \t]{0,20}(?:\d{1,6}(?:[→\t]|$))?[\w+/=]{0,100}[ \t]{0,20}){0,200}(?:-[A-Z -]{0,60})?$/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'i',
)

export function createRunRedactor(redactor: Redactor): RunRedactor {
  let open: { readonly like: Delta; held: string; told: string } | null = null

  async function flush(): Promise<readonly RunEvent[]> {
    if (open === null) return []
    const { like, held, told } = open
    open = null
    return deltas(like, untold(await redactor.redact(held), told))
  }

  async function pushDelta(event: Delta): Promise<readonly RunEvent[]> {
    const before = open !== null && !isSameStream(open.like, event) ? await flush() : []
    open ??= { like: event, held: '', told: '' }
    const current = open
    current.held += event.delta
    if (current.held.length > maxHeld) return [...before, ...(await flush())]
    const ready = current.held.slice(0, readyLength(current.held))
    const clean = await redactor.redact(ready)
    const news = untold(clean, current.told)
    current.told += news
    const line = ready.lastIndexOf('\n', ready.length - contextLength) + 1
    if (line > 0) {
      current.told = await redactor.redact(ready.slice(line))
      current.held = current.held.slice(line)
    }
    return [...before, ...deltas(event, news)]
  }

  return {
    flush,
    async push(event) {
      if ('delta' in event) return pushDelta(event)
      return [...(await flush()), await redactDocument(redactor, event)]
    },
  }
}

/** Up to the end of the last whole word; not into what has not ended and may turn out to be a secret. */
function readyLength(text: string): number {
  const words = text.search(/\S*$/)
  const open = text.search(undecided)
  const ready = open === -1 ? words : Math.min(words, open)
  const begin = text.search(keyBegin)
  return begin === -1 || keyEnd.test(text.slice(begin)) ? ready : Math.min(ready, begin)
}

/** Told text is not taken back, whatever later words make of it. */
function untold(clean: string, told: string): string {
  return clean.slice(told.length)
}

function deltas(like: Delta, delta: string): RunEvent[] {
  return delta === '' ? [] : [{ ...like, delta }]
}

function isSameStream(a: Delta, b: Delta): boolean {
  return a.kind === b.kind && (a.kind !== 'tool_output' || b.kind !== 'tool_output' || a.callId === b.callId)
}
