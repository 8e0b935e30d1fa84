// Cursors: small texts that say where the next page begins. They come back from outside, so they are checked.
import { AppError } from '../../model/error.ts'

export function readOffset(cursor: string | undefined): number {
  if (cursor === undefined) return 0
  if (!/^\d{1,9}$/.test(cursor)) throw badCursor(cursor)
  return Number(cursor)
}

export interface TextCursor {
  /** Of the message, from 0. */
  readonly message: number
  /** Of the character in its text, from 0. */
  readonly character: number
}

export function readTextCursor(cursor: string | undefined): TextCursor {
  if (cursor === undefined) return { message: 0, character: 0 }
  const match = /^(\d{1,9})(?:\.(\d{1,9}))?$/.exec(cursor)
  if (match === null) throw badCursor(cursor)
  return { message: Number(match[1]), character: Number(match[2] ?? 0) }
}

export function writeTextCursor({ message, character }: TextCursor): string {
  return character === 0 ? String(message) : `${message}.${character}`
}

function badCursor(cursor: string): AppError {
  return new AppError('usage', `"${cursor}" is no cursor.`, { hint: 'Pass `next` of the page before, or leave it out.' })
}
