// `ESC [ ...` and `ESC O .`: arrows, function keys, keys with modifiers in both notations terminals use, and the mouse.
import { type Input, press, type Read } from './input.ts'

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
const numbers: readonly (string | undefined)[] = Object.assign([], {
  ...{ 1: 'home', 2: 'insert', 3: 'delete', 4: 'end', 5: 'pageup', 6: 'pagedown', 7: 'home', 8: 'end' },
  ...{
    11: 'f1',
    12: 'f2',
    13: 'f3',
    14: 'f4',
    15: 'f5',
    17: 'f6',
    18: 'f7',
    19: 'f8',
    20: 'f9',
    21: 'f10',
    23: 'f11',
    24: 'f12',
  },
})
const codes: Readonly<Record<number, string>> = { 9: 'tab', 13: 'enter', 27: 'esc', 32: 'space', 127: 'backspace' }

// biome-ignore lint/suspicious/noControlCharactersInRegex: terminals speak in them
const sequence = /^\u001b\[([<?>=]?)([\d;:]*)([ -/]*)([@-~])/
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const begun = /^\u001b\[[<?>=]?[\d;:]*[ -/]*$/

/** `text`: from the Escape on, as much as a sequence may be long. */
export function readSequence(text: string, isLast: boolean): Read | null {
  if (text[1] === 'O') return readApplication(text, isLast)
  const match = sequence.exec(text)
  if (match === null) return readBroken(text, isLast)
  const [whole, mark = '', given = '', , final = ''] = match
  const { length } = whole
  const parts = given.split(';').map((part) => Number(part.split(':')[0] || '0'))
  const [first = 0, second = 1, third = 0] = parts
  if (mark === '<') return { length, input: readMouse(first, second, third, final) }
  // The old mouse protocol: three more bytes, which are no keys.
  if (final === 'M' && given === '') return text.length < 6 && !isLast ? null : { length: Math.min(6, text.length), input: null }
  // A key that was let go, by terminals that tell.
  if (mark !== '' || /:3$/.test(given)) return { length, input: null }
  if (final === 'u') return pressCode(first, second, length)
  if (final === '~' && first === 27 && parts.length === 3) return pressCode(third, second, length)
  const name = final === '~' ? numbers[first] : letters[final]
  // `ESC [ 12 ; 40 R` says where the cursor is.
  if (name === undefined || (final !== '~' && first > 1)) return { length, input: null }
  return press(modified(name, second, false), length)
}

/** Cut off by time, it was Alt with a bracket, or part of something that is of no use; else no terminal says such a thing. */
function readBroken(text: string, isLast: boolean): Read | null {
  const isBegun = begun.test(text) && text.length < 64
  if (isBegun && !isLast) return null
  if (text.length === 2) return press('alt+[', 2)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: as above
  return { length: /^\u001b\[[<?>=]?[\d;:]*[ -/]*/.exec(text)?.[0].length ?? 2, input: null }
}

function readApplication(text: string, isLast: boolean): Read | null {
  if (text.length < 3) return isLast ? press('alt+shift+o', 2) : null
  const name = text[2] === 'M' ? 'enter' : letters[text[2] ?? '']
  return name === undefined ? press('alt+shift+o', 2) : press(name, 3)
}

/** A key by its code point. Codes for keys without one (media, keypad, lone modifiers) are of no interest. */
function pressCode(code: number, mods: number, length: number): Read {
  const name = codes[code]
  if (name !== undefined) return press(modified(name, mods, false), length)
  const isText = code >= 0x20 && code <= 0x10ffff && !(code >= 0x7f && code < 0xa0) && !(code >= 0xd800 && code <= 0xf8ff)
  return isText ? press(modified(String.fromCodePoint(code), mods, true), length) : { length, input: null }
}

/** `mods` as terminals count them: 1 plus shift 1, alt 2, ctrl 4. A letter with shift alone is that letter in capitals. */
function modified(name: string, mods: number, isLetter: boolean): string {
  const bits = Math.max(0, mods - 1)
  const [shift, alt, ctrl] = [(bits & 1) !== 0, (bits & 2) !== 0, (bits & 4) !== 0]
  if (isLetter && !alt && !ctrl) return shift ? name.toUpperCase() : name
  const base = isLetter ? name.toLowerCase() : name
  const isUpper = isLetter && base !== name
  return `${ctrl ? 'ctrl+' : ''}${alt ? 'alt+' : ''}${shift || isUpper ? 'shift+' : ''}${base}`
}

/** SGR reports: button, column, row; `M` pressed, `m` let go. */
function readMouse(button: number, column: number, row: number, final: string): Input | null {
  const place = { column: Math.max(0, column - 1), row: Math.max(0, row - 1) }
  if (button === 64) return { kind: 'mouse', action: 'wheel_up', ...place }
  if (button === 65) return { kind: 'mouse', action: 'wheel_down', ...place }
  return button === 0 && final === 'M' ? { kind: 'mouse', action: 'click', ...place } : null
}
