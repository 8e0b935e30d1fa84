// The turn that runs: its prompt, what has come in so far in order, the end of a call's output, and how long it has been at it.
import { cleanLine, cleanText } from '../../lib/text/clean.ts'
import type { Message } from '../../model/session.ts'
import type { Line, Paint } from '../draw.ts'
import type { Tab } from '../state-tab.ts'
import { layoutMessage, promptLines } from '../text/layout.ts'
import { layoutStream } from '../text/stream.ts'
import { clipStyled, wrapStyled } from '../text/wrap-styled.ts'
import { noteOf } from '../update/cut-off.ts'
import { spin } from './tabs.ts'

const outputRows = 6

export function drawRun(tab: Tab, columns: number, now: number, paint: Paint): readonly Line[] {
  const { run } = tab
  const isOpen = (at: number) => run.streaming && at === run.parts.length - 1
  const lines = [
    ...(run.prompt === null ? [] : [...promptLines(run.prompt, columns - 2, paint), ''].map((text) => ({ text }))),
    ...run.parts.flatMap((part, at) => drawPart(part, isOpen(at), columns, paint)),
  ]
  return [...lines, ...drawState(tab, columns, now, paint).map((text) => ({ text }))]
}

/** A line of ours on how a turn ended. */
export function drawNote(note: string, columns: number, style: (text: string) => string): string[] {
  return [...wrapStyled(style(cleanLine(note)), Math.max(1, columns - 4)).map((line) => `  ${line}`), '']
}

/** What is whole is laid out once, like any message. */
function drawPart(part: Message, isOpen: boolean, columns: number, paint: Paint): readonly Line[] {
  if (isOpen) {
    const lines = layoutStream(part.text.trimStart(), columns - 2, paint)
    return [...lines.map((line, at) => ({ text: `${at === 0 ? paint.dim('● ') : '  '}${line}` })), { text: '' }]
  }
  const { tool } = part
  if (tool === undefined || tool.failed !== null || tool.output === null)
    return layoutMessage(part, { columns, paint, unfolded: false })
  // It has printed something and still runs: marked as open, with the end of what it printed.
  const open = { ...part, tool: { ...tool, output: null } }
  const lines = layoutMessage(open, { columns, paint, unfolded: false })
  const end = cleanText(tool.output).trimEnd().replaceAll('\t', '    ').split('\n').slice(-outputRows)
  return [...lines.slice(0, 1), ...end.map((line) => ({ text: clipStyled(paint.dim(`    ${line}`), columns) })), { text: '' }]
}

function drawState(tab: Tab, columns: number, now: number, paint: Paint): string[] {
  const { run } = tab
  if (run.state === 'idle') return drawEnd(tab, columns, paint)
  const seconds = run.startedAt === null ? 0 : Math.max(0, Math.floor((now - run.startedAt) / 1000))
  const words = { sending: 'sending', running: 'working', waiting: 'waiting for your answer', interrupting: 'stopping' }
  const thinking = run.thinking === '' ? '' : `  ${cleanLine(run.thinking.slice(-columns * 2)).slice(-columns)}`
  const state = `${paint.accent(spin(now))} ${paint.dim(`${words[run.state]} ${seconds}s`)}`
  return [...(thinking === '' ? [] : clipAll(thinking, columns, paint.dim)), state]
}

function drawEnd(tab: Tab, columns: number, paint: Paint): string[] {
  const { outcome, prompt, error } = tab.run
  if (outcome !== 'failed' && outcome !== 'interrupted') return []
  const { what, next } = noteOf(tab.run, tab, false)
  // Nothing came of it, and the prompt is in the composer again.
  if (outcome === 'failed' && prompt === null) return drawNote(`! ${error ?? what}`, columns, paint.error)
  return drawNote(`${what} ${next}`.trim(), columns, paint.warn)
}

function clipAll(text: string, columns: number, style: (text: string) => string): string[] {
  return [clipStyled(style(text), columns)]
}
