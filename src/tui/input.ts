// Bytes of a terminal as keys, pastes and mouse events. tmux's default escape-time makes two Escapes one chunk `ESC ESC`: that is
// two Escapes, not Alt+Escape. A sequence may come in pieces: an Escape at the end of a chunk is decided a moment later.
import type { KeyPress } from './events.ts'

export type Input =
  | { readonly kind: 'key'; readonly key: KeyPress }
  | { readonly kind: 'paste'; readonly text: string }
  | {
      readonly kind: 'mouse'
      readonly action: 'click' | 'wheel_up' | 'wheel_down'
      readonly column: number
      readonly row: number
    }

const esc = '\u001b'
const pasteStart = `${esc}[200~`
const pasteEnd = `${esc}[201~`

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
    while (rest !== '') {
      const next = readOne(rest, isLast)
      if (next === null) break
      rest = rest.slice(next.length)
      if (next.input !== null) found.push(next.input)
    }
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

interface Read {
  readonly length: number
  /** `null`: understood and of no interest (focus reports, answers of the terminal, mouse moves). */
  readonly input: Input | null
}

function readOne(text: string, isLast: boolean): Read | null {
  if (!text.startsWith(esc)) return readPlain(text)
  if (text.startsWith(pasteStart)) {
    const end = text.indexOf(pasteEnd)
    if (end === -1) return null // however long it takes: nothing in it is a key
    return { length: end + pasteEnd.length, input: { kind: 'paste', text: text.slice(pasteStart.length, end) } }
  }
  if (text.length === 1) return isLast ? press('esc', 1) : null
  if (text[1] === esc) return press('esc', 1)
  if (text[1] === '[') return readSequence(text, isLast)
  if (text[1] === 'O') return readApplication(text, isLast)
  const plain = readPlain(text.slice(1))
  if (plain?.input?.kind !== 'key') return press('esc', 1)
  const { name } = plain.input.key
  const isUpper = /^\p{Lu}$/u.test(name)
  return press(`alt+${isUpper ? 'shift+' : ''}${name.toLowerCase()}`, plain.length + 1)
}

const controls: Readonly<Record<string, string>> = {
  '\r': 'enter',
  '\n': 'ctrl+j',
  '\t': 'tab',
  '\u007f': 'backspace',
  '\b': 'ctrl+h',
  '\0': 'ctrl+space',
}
const segmenter = new Intl.Segmenter()

function readPlain(text: string): Read | null {
  const [first] = segmenter.segment(text)
  if (first === undefined) return null
  const { segment } = first
  if (segment === '\r\n') return press('enter', 2)
  const named = controls[segment]
  if (named !== undefined) return press(named, 1)
  const code = segment.charCodeAt(0)
  if (code < 0x20) return press(`ctrl+${String.fromCharCode(code + 0x60)}`, 1)
  return { length: segment.length, input: { kind: 'key', key: { name: segment === ' ' ? 'space' : segment, text: segment } } }
}

const letters: Readonly<Record<string, string>> = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  H: 'home',
  F: 'end',
  P: 'f1',
  Q: 'f2',
  R: 'f3',
  S: 'f4',
  Z: 'shift+tab',
}
const numbers: Readonly<Record<string, string>> = {
  1: 'home',
  2: 'insert',
  3: 'delete',
  4: 'end',
  5: 'pageup',
  6: 'pagedown',
  7: 'home',
  8: 'end',
  11: 'f1',
  12: 'f2',
}
const codes: Readonly<Record<number, string>> = { 9: 'tab', 13: 'enter', 27: 'esc', 32: 'space', 127: 'backspace' }

// biome-ignore lint/suspicious/noControlCharactersInRegex: terminals speak in them
const sequence = /^\u001b\[([<?>=]?)([\d;:]*)([ -/]*)([@-~])/

function readSequence(text: string, isLast: boolean): Read | null {
  const match = sequence.exec(text)
  if (match === null) return isLast || text.length > 64 ? press('esc', 1) : null
  const [whole, mark = '', given = '', , final = ''] = match
  const { length } = whole
  const parts = given.split(';').map((part) => Number(part.split(':')[0] || '0'))
  const [first = 0, second = 1, third = 0] = parts
  if (mark === '<') return { length, input: readMouse(first, second, third, final) }
  if (mark !== '') return { length, input: null }
  if (final === 'u') return press(modified(nameOfCode(first), second, first), length)
  if (final === '~' && first === 27 && parts.length === 3) return press(modified(nameOfCode(third), second, third), length)
  const name = final === '~' ? numbers[String(first)] : letters[final]
  if (name === undefined) return { length, input: null }
  return press(modified(name, parts.length > 1 ? second : 1, 0), length)
}

function readApplication(text: string, isLast: boolean): Read | null {
  if (text.length < 3) return isLast ? press('alt+shift+o', 2) : null
  const name = letters[text[2] ?? '']
  return name === undefined ? press('alt+shift+o', 2) : press(name, 3)
}

function nameOfCode(code: number): string {
  return codes[code] ?? String.fromCodePoint(Math.min(code, 0x10ffff))
}

/** `mods` as terminals count them: 1 plus shift 1, alt 2, ctrl 4. A letter with shift alone is that letter in capitals. */
function modified(name: string, mods: number, code: number): string {
  const bits = Math.max(0, mods - 1)
  const [shift, alt, ctrl] = [(bits & 1) !== 0, (bits & 2) !== 0, (bits & 4) !== 0]
  const isLetter = code !== 0 && codes[code] === undefined
  if (isLetter && !alt && !ctrl) return shift ? name.toUpperCase() : name
  const base = isLetter ? name.toLowerCase() : name
  const isUpper = isLetter && base !== name
  return `${ctrl ? 'ctrl+' : ''}${alt ? 'alt+' : ''}${shift || isUpper ? 'shift+' : ''}${base}`
}

/** SGR reports: button, column, row; `M` pressed, `m` let go. */
function readMouse(button: number, column: number, row: number, final: string): Input | null {
  const place = { column: column - 1, row: row - 1 }
  if (button === 64) return { kind: 'mouse', action: 'wheel_up', ...place }
  if (button === 65) return { kind: 'mouse', action: 'wheel_down', ...place }
  return button === 0 && final === 'M' ? { kind: 'mouse', action: 'click', ...place } : null
}

function press(name: string, length: number): Read {
  const text = [...name].length === 1 ? name : name === 'space' ? ' ' : ''
  return { length, input: { kind: 'key', key: { name, text } } }
}
