// Makes text from outside harmless before a terminal gets it: names that would break a line, pastes that would end early.
import { AppError } from '../model/error.ts'

/** Codex takes 1 Mi characters at most; a terminal gains nothing from more. */
const maxPasteCharacters = 1 << 20
const maxTitleCharacters = 60

// C0, DEL, C1, line separators, and the marks that reorder text (bidi) or hide in it.
const unseen = /[\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]+/gu

/** One line, without control characters, not too long. */
export function cleanTitle(title: string): string {
  const line = title.replace(unseen, ' ').replace(/\s+/g, ' ').trim()
  return [...line].slice(0, maxTitleCharacters).join('') || 'offshoot'
}

/** Lines and tabs stay. ESC must go: `ESC[201~` would end the paste, and what follows would be typed. */
export function cleanPaste(text: string): string {
  if (text.length > maxPasteCharacters) {
    throw new AppError(
      'too_large',
      `A text of ${text.length} characters is too long to paste; ${maxPasteCharacters} is the most.`,
    )
  }
  return text.replace(/\r\n?/g, '\n').replace(/[^\P{Cc}\n\t]/gu, '')
}
