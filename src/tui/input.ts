// Bytes of a terminal as keys, pastes and mouse events. tmux's default escape-time makes two Escapes one chunk `ESC ESC`: that is
// two Escapes, not Alt+Escape. A sequence may come in pieces: an Escape at the end of a chunk is decided a moment later.
import type { KeyPress } from './events.ts'
import { readSequence } from './input-sequence.ts'

export type Input =
  | { readonly kind: 'key'; readonly key: KeyPress }
  | { readonly kind: 'paste'; readonly text: string }
  | {
      readonly kind: 'mouse'
      readonly action: 'click' | 'wheel_up' | 'wheel_down'
      readonly column: number
      readonly row: number
    }

export interface Read {
  readonly length: number
  /** `null`: understood and of no interest (focus reports, answers of the terminal, mouse moves). */
  readonly input: Input | null
}

const esc = '\u001b'
const pasteStart = `${esc}[200~`
const pasteEnd = `${esc}[201~`
/** A paste that never ends would swallow every key for good. */
const longestPaste = 16 * 1024 * 1024

export interface Decoder {
  /** What is whole by now; the rest waits. */
  push(chunk: string): Input[]
  /** Whether something waits that may be a lone Escape. */
  readonly isWaiting: boolean
  /** No more came: what waits is what it looks like. */
  flush(): Input[]
}

export function createDecoder(): Decoder {
  let rest = ''
  const take = (isLast: boolean): Input[] => {
    const found: Input[] = []
    let at = 0
    while (at < rest.length) {
      const next = readOne(rest, at, isLast)
      if (next === null) break
      at += next.length
      if (next.input !== null) found.push(next.input)
    }
    rest = rest.slice(at)
    return found
  }
  return {
    push(chunk) {
      rest += chunk
      return take(false)
    },
    get isWaiting() {
      return rest !== '' && !rest.startsWith(pasteStart)
    },
    flush: () => take(true),
  }
}

/** `null`: more has to come before it can be told. */
function readOne(all: string, at: number, isLast: boolean): Read | null {
  if (all[at] !== esc) return readPlain(all, at, isLast)
  if (all.startsWith(pasteStart, at)) return readPaste(all, at)
  const second = all[at + 1]
  if (second === undefined) return isLast ? press('esc', 1) : null
  if (second === esc) return press('esc', 1)
  if (second === '[' || second === 'O') return readSequence(all.slice(at, at + 80), isLast)
  if (second === ']' || second === 'P' || second === '_') return readString(all, at, isLast)
  const plain = readPlain(all, at + 1, isLast)
  if (plain === null) return null
  if (plain.input?.kind !== 'key') return { length: plain.length + 1, input: null }
  return press(withAlt(plain.input.key.name), plain.length + 1)
}

/** However long it takes: nothing in it is a key. */
function readPaste(all: string, at: number): Read | null {
  const start = at + pasteStart.length
  const end = all.indexOf(pasteEnd, start)
  if (end === -1 && all.length - start < longestPaste) return null
  const text = end === -1 ? all.slice(start) : all.slice(start, end)
  return { length: pasteStart.length + text.length + (end === -1 ? 0 : pasteEnd.length), input: { kind: 'paste', text } }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: terminals speak in them
const stringEnd = /\u0007|\u001b\\/g

/** Answers of the terminal (its colours, its name) run up to BEL or ESC \; a person who pressed Alt with such a letter sends no more. */
function readString(all: string, at: number, isLast: boolean): Read | null {
  stringEnd.lastIndex = at + 2
  const end = stringEnd.exec(all)
  if (end !== null) return { length: end.index + end[0].length - at, input: null }
  return isLast ? press(withAlt(all[at + 1] ?? ''), 2) : null
}

const controls: Readonly<Record<string, string>> = {
  '\r': 'enter',
  '\t': 'tab',
  '\u007f': 'backspace',
  '\0': 'ctrl+space',
  ' ': 'space',
}

/** One code point: joined ones (a family, a flag, an accent) come together again where they are typed, however they were sent. */
function readPlain(all: string, at: number, isLast: boolean): Read | null {
  const code = all.codePointAt(at) ?? 0
  const text = String.fromCodePoint(code)
  const named = controls[text]
  if (named !== undefined) return press(named, 1)
  if (code < 0x1b) return press(`ctrl+${String.fromCharCode(code + 0x60)}`, 1)
  if (code < 0x20) return press(`ctrl+${String.fromCharCode(code + 0x40)}`, 1)
  if (code >= 0x80 && code < 0xa0) return { length: 1, input: null }
  // Half a pair: the other half may come; alone it is nothing.
  if (code >= 0xd800 && code <= 0xdfff)
    return code <= 0xdbff && at + 1 === all.length && !isLast ? null : { length: 1, input: null }
  return press(text, text.length)
}

function withAlt(name: string): string {
  if (name.startsWith('ctrl+')) return `ctrl+alt+${name.slice(5)}`
  return /^\p{Lu}$/u.test(name) ? `alt+shift+${name.toLowerCase()}` : `alt+${name}`
}

export function press(name: string, length: number): Read {
  const text = [...name].length === 1 ? name : name === 'space' ? ' ' : ''
  return { length, input: { kind: 'key', key: { name, text } } }
}
