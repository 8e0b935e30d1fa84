// The screen of Claude Code, read as far as it must be: is there a composer and what stands in it, is something asked. Bound to
// the wording of 2.1.197 and 2.1.325, and so the last resort wherever the registry tells.
import type { PaneLook } from '../runs.ts'

export interface PaneScreen {
  readonly state: Exclude<PaneLook['state'], 'ended'>
  readonly question: string | null
  readonly composer: string | null
}

/** The composer stands between two of these; so does nothing else that begins with the prompt sign. */
const rule = /^\s*[─━]{8}/
/** The sign and U+00A0; `!` while a shell line is typed. */
const promptSign = /^\s?[❯>!][\s\u00a0]?/
const placeholder = /^(Try "[^"]*"|Press up to edit queued messages)$/
const option = /^\s*[❯›]?\s*(\d+\.\s|No, exit|Yes)/
const dialogFoot = /(Esc to (cancel|exit|close|go back)|Enter to (confirm|continue|select)|Press Enter to)/i
const permission =
  /Do you want to (proceed|make this edit|create|allow|overwrite|use)|Would you like to proceed|Claude (wants|needs) to/i
const maxQuestion = 300

export function readScreen(lines: readonly string[]): PaneScreen {
  const composer = composerOn(lines)
  if (composer !== null) {
    const isBusy = lines.slice(composer.bottom).some((line) => /esc to interrupt/i.test(line))
    return { state: isBusy ? 'busy' : 'idle', question: null, composer: composer.text }
  }
  const asked = questionOn(lines)
  if (asked === null) return { state: 'starting', question: null, composer: null }
  const question = asked.length > maxQuestion ? `${asked.slice(0, maxQuestion - 1)}…` : asked
  return { state: permission.test(asked) ? 'waiting' : 'dialog', question, composer: null }
}

function composerOn(lines: readonly string[]): { readonly text: string; readonly bottom: number } | null {
  const bottom = lines.findLastIndex((line) => rule.test(line))
  const top = lines.findLastIndex((line, at) => at < bottom && rule.test(line))
  if (top === -1 || !promptSign.test(lines[top + 1] ?? '')) return null
  const first = lines[top + 1] ?? ''
  const typed = [
    first.trimStart().startsWith('!') ? first.trimStart() : first.replace(promptSign, ''),
    ...lines.slice(top + 2, bottom).map((line) => line.replace(/^[ \u00a0]{1,2}/, '')),
  ]
  const text = typed
    .map((line) => line.trimEnd())
    .join('\n')
    .trimEnd()
  return { text: placeholder.test(text) ? '' : text, bottom }
}

/** What is asked, in one line: all between the last rule (or the top) and the choices. */
function questionOn(lines: readonly string[]): string | null {
  if (!lines.some((line) => dialogFoot.test(line))) return null
  const top = lines.findLastIndex((line) => /^\s*[─━▔]{8}/.test(line))
  const choice = lines.findIndex((line, at) => at > top && option.test(line))
  const asked = lines.slice(top + 1, choice === -1 ? undefined : choice)
  return asked
    .join(' ')
    .replace(/[\s\u00a0\u2500-\u257f\u2594]+/g, ' ')
    .trim() // without what only frames it
}
