// Editing a line or a few: the cursor moves by what a person takes for one character, so a flag or a family emoji is never cut.
import type { ActionId } from '../keys.ts'
import type { Draft } from '../state-tab.ts'
import { clusters } from '../text/clusters.ts'

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
const inWord = /^[\p{L}\p{M}\p{N}_]/u

export const emptyDraft: Draft = { text: '', cursor: 0 }

export function draftOf(text: string): Draft {
  return { text, cursor: text.length }
}

export function insert({ text, cursor }: Draft, piece: string): Draft {
  return { text: text.slice(0, cursor) + piece + text.slice(cursor), cursor: cursor + piece.length }
}

/** `null`: this action is none of a draft's. */
export function edit(draft: Draft, action: ActionId): Draft | null {
  const { text, cursor } = draft
  switch (action) {
    case 'left':
      return { text, cursor: before(text, cursor) }
    case 'right':
      return { text, cursor: after(text, cursor) }
    case 'word_left':
      return { text, cursor: wordStart(text, cursor) }
    case 'word_right':
      return { text, cursor: wordEnd(text, cursor) }
    case 'line_start':
      return { text, cursor: lineStart(text, cursor) }
    case 'line_end':
      return { text, cursor: lineEnd(text, cursor) }
    case 'erase':
      return cut(text, before(text, cursor), cursor)
    case 'erase_right':
      return cut(text, cursor, after(text, cursor))
    case 'erase_word':
      return cut(text, wordStart(text, cursor), cursor)
    case 'erase_line':
      return cut(text, lineStart(text, cursor), cursor)
    case 'erase_rest':
      return cut(text, cursor, lineEnd(text, cursor))
    default:
      return null
  }
}

/** To the line above or below, at about the same place; `null` when there is none. */
export function moveLine({ text, cursor }: Draft, by: -1 | 1): Draft | null {
  const start = lineStart(text, cursor)
  const column = cursor - start
  if (by === -1) {
    if (start === 0) return null
    const above = lineStart(text, start - 1)
    return { text, cursor: snap(text, Math.min(above + column, start - 1)) }
  }
  const end = lineEnd(text, cursor)
  if (end === text.length) return null
  return { text, cursor: snap(text, Math.min(end + 1 + column, lineEnd(text, end + 1))) }
}

function cut(text: string, from: number, to: number): Draft {
  return { text: text.slice(0, from) + text.slice(to), cursor: from }
}

function before(text: string, cursor: number): number {
  // No cluster is as long: a whole line of a paste need not be split for one step.
  const start = Math.max(0, cursor - 64)
  let last = start
  for (const { index } of graphemes.segment(text.slice(start, cursor))) last = start + index
  return last
}

function after(text: string, cursor: number): number {
  for (const { segment } of graphemes.segment(text.slice(cursor, cursor + 64))) return cursor + segment.length
  return cursor
}

/** Not into the middle of a cluster. */
function snap(text: string, cursor: number): number {
  const start = lineStart(text, cursor)
  let last = start
  for (const segment of clusters(text.slice(start, lineEnd(text, cursor)))) {
    if (last + segment.length > cursor) break
    last += segment.length
  }
  return Math.min(last, cursor)
}

function lineStart(text: string, cursor: number): number {
  return text.lastIndexOf('\n', cursor - 1) + 1
}

function lineEnd(text: string, cursor: number): number {
  const end = text.indexOf('\n', cursor)
  return end === -1 ? text.length : end
}

/** Over what is no word, then over the word: character by character, as a pattern would look through a long line again and again. */
function wordStart(text: string, cursor: number): number {
  const parts = [...text.slice(0, cursor)]
  let at = parts.length
  while (at > 0 && !inWord.test(parts[at - 1] ?? '')) at -= 1
  while (at > 0 && inWord.test(parts[at - 1] ?? '')) at -= 1
  return snap(text, parts.slice(0, at).join('').length)
}

function wordEnd(text: string, cursor: number): number {
  const parts = [...text.slice(cursor)]
  let at = 0
  while (at < parts.length && !inWord.test(parts[at] ?? '')) at += 1
  while (at < parts.length && inWord.test(parts[at] ?? '')) at += 1
  return cursor + parts.slice(0, at).join('').length
}
