// biome-ignore-all lint/suspicious/noControlCharactersInRegex: finding control characters is the job here
// Makes text out of a transcript safe for a terminal, a page or a model: a session can hold any bytes an agent or a web page put
// there, and an escape sequence could move the cursor, set the title or paste into the shell.

// C0 except tab and newline, DEL, C1, and the invisible marks that reorder text (bidi overrides) or hide in it.
const unsafe = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g
const breaks = /\r\n?|[\u2028\u2029]/g
// Whole escape sequences go at once, so that no `[31m` is left behind.
const sequences =
  /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[PX^_][^\u001b]*(?:\u001b\\)?|[ -/]*[0-~])/g

/** True when text holds what a terminal would act on, line breaks aside. */
export function hasUnsafe(text: string): boolean {
  return text !== cleanText(text)
}

/** Many lines stay many lines; colours and other sequences go; a lone control character shows as its picture (␛). */
export function cleanText(text: string): string {
  return text.replace(breaks, '\n').replace(sequences, '').replace(unsafe, picture)
}

const colours = /(\u001b\[[0-9;]*m)/

/** The same for a line that is coloured already: the last net behind those who clean what they print piece by piece. */
export function cleanColoured(text: string): string {
  const pieces = text.split(colours)
  return pieces.map((piece, at) => (at % 2 === 1 ? piece : cleanText(piece))).join('')
}

/** For one cell or one line: everything that breaks a line becomes a blank. */
export function cleanLine(text: string): string {
  return cleanText(text).replace(/\s+/g, ' ').trim()
}

function picture(character: string): string {
  const code = character.charCodeAt(0)
  if (code < 0x20) return String.fromCharCode(0x2400 + code)
  if (code === 0x7f) return '\u2421'
  return code < 0xa0 ? '\ufffd' : ''
}
