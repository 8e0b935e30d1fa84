import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createDecoder, type Input } from './input.ts'

const esc = '\u001b'

function decode(...chunks: string[]): Input[] {
  const decoder = createDecoder()
  return [...chunks.flatMap((chunk) => decoder.push(chunk)), ...decoder.flush()]
}

function names(...chunks: string[]): string[] {
  return decode(...chunks).map((input) => (input.kind === 'key' ? input.key.name : input.kind))
}

test.each([
  [[`${esc}${esc}`], ['esc', 'esc']],
  [[`${esc}${esc}${esc}`], ['esc', 'esc', 'esc']],
  [
    [esc, esc],
    ['esc', 'esc'],
  ],
  [[`${esc}F`], ['alt+shift+f']],
  [[`${esc}f`], ['alt+f']],
  [[`${esc}[102;4u`], ['alt+shift+f']],
  [[`${esc}[70;4u`], ['alt+shift+f']],
  [[`${esc}[70;3u`], ['alt+shift+f']],
  [[`${esc}[27;4;102~`], ['alt+shift+f']],
  [[`${esc}[27;4;70~`], ['alt+shift+f']],
  [[`${esc}[97;2u`], ['A']],
  [[`${esc}[13;2u`], ['shift+enter']],
  [[`${esc}\r`], ['alt+enter']],
  [[`${esc}\u007f`], ['alt+backspace']],
  [[`${esc}\u0001`], ['ctrl+alt+a']],
  [[`${esc}[A${esc}OB${esc}[1;5C${esc}[1;3D`], ['up', 'down', 'ctrl+right', 'alt+left']],
  [[`${esc}[5~${esc}[6~${esc}[3~${esc}[H${esc}[4~`], ['pageup', 'pagedown', 'delete', 'home', 'end']],
  [[`${esc}[5;5~`], ['ctrl+pageup']],
  [[`${esc}OP${esc}[11~${esc}[15~${esc}[Z`], ['f1', 'f1', 'f5', 'shift+tab']],
  [
    ['\r', '\n', '\t', '\u0010', '\u001d', '\0'],
    ['enter', 'ctrl+j', 'tab', 'ctrl+p', 'ctrl+]', 'ctrl+space'],
  ],
  [[`${esc}[`], ['alt+[']],
  [[`${esc}O`], ['alt+shift+o']],
  [[`${esc}[1;`], []],
  // What the terminal tells on its own is no key: focus, where the cursor is, its colours, a key let go, a media key.
  [[`${esc}[I${esc}[O`, `${esc}[12;40R`, `${esc}[?1;2c`, `${esc}]11;rgb:00/00/00\u0007`, `${esc}P>|xterm${esc}\\`], []],
  [[`${esc}[97;1:3u${esc}[57441;2u${esc}[55296u${esc}[0u`], []],
  [[`${esc}[M !!x`], ['x']],
] as const)('%j is %j', (chunks, expected) => {
  expect(names(...chunks)).toEqual(expected)
})

test('a lone Escape waits, and is one when nothing follows', () => {
  const decoder = createDecoder()
  expect(decoder.push(esc)).toEqual([])
  expect(decoder.isWaiting).toBe(true)
  expect(decoder.flush()).toEqual([{ kind: 'key', key: { name: 'esc', text: '' } }])
  expect(decoder.isWaiting).toBe(false)
})

test('the mouse: click, wheel, and nothing else', () => {
  expect(decode(`${esc}[<0;10;5M${esc}[<0;10;5m${esc}[<64;1;1M${esc}[<65;1;1M${esc}[<35;4;4M`)).toEqual([
    { kind: 'mouse', action: 'click', column: 9, row: 4 },
    { kind: 'mouse', action: 'wheel_up', column: 0, row: 0 },
    { kind: 'mouse', action: 'wheel_down', column: 0, row: 0 },
  ])
})

test('a paste is one, whatever is in it, and it does not time out', () => {
  const text = `a\r\n${esc}[A${esc}${esc}\u0003 ${esc}[200~ b`
  const decoder = createDecoder()
  expect(decoder.push(`${esc}[200~${text}`)).toEqual([])
  expect(decoder.isWaiting).toBe(false)
  expect(decoder.flush()).toEqual([])
  expect(decoder.push(`${esc}[201~x`)).toEqual([
    { kind: 'paste', text },
    { kind: 'key', key: { name: 'x', text: 'x' } },
  ])
})

const piece = fc.oneof(
  fc.constantFrom('a', 'F', ' ', '\r', '\t', '\u0003', 'ä', '日', '👩‍👩‍👧', '🇩🇪', 'e\u0301', '\ud83d\ude80'),
  fc.constantFrom(`${esc}[A`, `${esc}OP`, `${esc}[1;5C`, `${esc}F`, `${esc}[102;4u`, `${esc}[<0;3;4M`, `${esc}[I`, `${esc}[5~`),
  fc.string({ unit: 'grapheme', maxLength: 8 }).map((text) => `${esc}[200~${text.replaceAll('\u001b', '')}${esc}[201~`),
)
const stream = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''))

test('however a stream is cut to pieces, it means the same', () => {
  fc.assert(
    fc.property(stream, fc.array(fc.nat(200), { maxLength: 20 }), (text, cuts) => {
      const places = [0, ...cuts.map((cut) => Math.min(cut, text.length)).sort((one, other) => one - other), text.length]
      const chunks = places.slice(1).map((place, at) => text.slice(places[at], place))
      expect(decode(...chunks)).toEqual(decode(text))
    }),
    { numRuns: 300 },
  )
})

test('what is typed comes through as it was typed', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const typed = text.replace(/[\p{Cc}\p{Cs}]/gu, '')
      const heard = decode(typed).map((input) => (input.kind === 'key' ? input.key.text : ''))
      expect(heard.join('')).toBe(typed)
    }),
  )
})

test('no bytes at all throw, hang or leave something behind that is no paste', () => {
  const byte = fc.oneof(
    fc.constantFrom(esc, '[', 'O', ']', 'P', '<', ';', '~', 'M', 'u', '0', '9', '\u009b'),
    fc.string({ unit: 'binary', maxLength: 3 }),
  )
  fc.assert(
    fc.property(fc.array(byte, { maxLength: 60 }), (bytes) => {
      const decoder = createDecoder()
      for (const each of bytes) decoder.push(each)
      const found = decoder.flush()
      expect(Array.isArray(found)).toBe(true)
      expect(decoder.isWaiting).toBe(false)
      for (const input of found) if (input.kind === 'key') expect(input.key.text).not.toMatch(/\p{Cc}/u)
    }),
    { numRuns: 500 },
  )
})

test('what is typed without brackets, a megabyte of it, is read in one pass', () => {
  expect(decode('x'.repeat(300_000))).toHaveLength(300_000)
})
