// A message as the lines it takes in a transcript. Laid out once for each width: messages never change, so what was laid out is
// kept with them.

import { cleanLine, cleanText } from '../../lib/text/clean.ts'
import type { Message, ToolCall } from '../../model/session.ts'
import type { Line, Paint } from '../draw.ts'
import { isSeed } from '../update/transcript.ts'
import { styleDiff } from './highlight.ts'
import { renderMarkdown } from './markdown.ts'
import { clipStyled, wrapStyled } from './wrap-styled.ts'

export interface LayoutOptions {
  readonly columns: number
  readonly paint: Paint
  readonly unfolded: boolean
}

/** Of one output, or prompt: a log of 10 MB must not become a million lines. The start and the end are what one looks for. */
const outputHead = 60
const outputTail = 140
const mostText = 400_000
const longestLine = 4000

interface Kept {
  readonly columns: number
  readonly paint: Paint
  readonly unfolded: boolean
  readonly lines: readonly Line[]
}
const kept = new WeakMap<Message, Kept>()

export function layoutMessage(message: Message, options: LayoutOptions): readonly Line[] {
  const known = kept.get(message)
  if (known?.columns === options.columns && known.paint === options.paint && known.unfolded === options.unfolded)
    return known.lines
  const target = { kind: 'message', id: message.id } as const
  const own = linesOf(message, options).map((text) => ({ text, target }))
  const lines = own.length === 0 ? [] : [...own, { text: '' }]
  kept.set(message, { ...options, lines })
  return lines
}

function linesOf(message: Message, options: LayoutOptions): string[] {
  const { columns, paint } = options
  const inner = Math.max(1, columns - 2)
  switch (message.role) {
    case 'user':
      return isSeed(message)
        ? foldable('Context of the fork', cleanText(message.text), options)
        : promptLines(message.text, inner, paint)
    case 'assistant':
      return [...thinkingLines(message, options), ...answerLines(message.text, inner, paint)]
    case 'tool':
      return toolLines(message, options)
    case 'summary':
      return foldable('Summary of what came before', cleanText(message.text), options)
    case 'error':
      return wrapPlain(message.text, inner).map((line, at) => paint.error(`${at === 0 ? '!' : ' '} ${line}`))
    case 'system':
      return message.text.trim() === '' ? [] : foldable('System', cleanText(message.text), options)
  }
}

function answerLines(text: string, columns: number, paint: Paint): string[] {
  const clean = cleanText(text).trim()
  if (clean === '') return []
  return renderMarkdown(clean, columns, paint).map((line, at) =>
    line === '' ? '' : `${at === 0 ? paint.dim('● ') : '  '}${line}`,
  )
}

export function promptLines(text: string, columns: number, paint: Paint): string[] {
  return wrapPlain(text, columns).map((line, at) => `${paint.accent(at === 0 ? '❯ ' : '  ')}${paint.bold(line)}`)
}

/** Text of others as lines that fit: no control characters, tabs as blanks, only as much of a huge one as anybody reads. */
function wrapPlain(text: string, columns: number): string[] {
  return windowOf(linesIn(text)).flatMap((line) => wrapStyled(line, columns))
}

/** Cut before anything else looks at it: a text of 10 MB, or a line of one, must not be laid out for what nobody sees. */
function linesIn(text: string): string[] {
  const held = text.length <= mostText ? text : `${text.slice(0, mostText / 2)}\n…\n${text.slice(-mostText / 2)}`
  return cleanText(held)
    .replaceAll('\t', '    ')
    .split('\n')
    .map((line) => (line.length > longestLine ? `${line.slice(0, longestLine)}…` : line))
}

function thinkingLines({ thinking }: Message, options: LayoutOptions): string[] {
  return thinking === undefined || thinking === '' ? [] : foldable('Thinking', cleanText(thinking), options)
}

/** One line, or everything below it. */
function foldable(label: string, text: string, { columns, paint, unfolded }: LayoutOptions): string[] {
  // Tags are for the model: `<system-reminder>`, `<command-name>`.
  const first = cleanLine(text.slice(0, 400).replace(/<\/?[\w-]+(?: [\w-]+)*>/g, ' '))
  if (!unfolded) return [clipStyled(paint.dim(`▸ ${label}: ${first}`), columns)]
  return [
    clipStyled(paint.dim(`▾ ${label}`), columns),
    ...wrapPlain(text, Math.max(1, columns - 4)).map((line) => paint.dim(`    ${line}`)),
  ]
}

function toolLines(message: Message, { columns, paint, unfolded }: LayoutOptions): string[] {
  const { tool } = message
  if (tool === undefined) return []
  const status = tool.failed === true ? paint.error(tool.exitCode ? ` exit ${tool.exitCode}` : ' failed') : ''
  const head = `${paint.dim(unfolded ? '▾' : '▸')} ${stateMark(tool, paint)} ${paint.bold(cleanLine(tool.name))}${status} ${paint.dim(cleanLine(briefArguments(tool.arguments)))}`
  if (!unfolded) return [clipStyled(head, columns)]
  const inner = Math.max(1, columns - 4)
  const given = wrapPlain(longArguments(tool.arguments), inner).map((line) => `    ${paint.code(line)}`)
  const output = windowOf(linesIn(tool.output?.trimEnd() ?? '')).flatMap((line) => wrapStyled(styleOutput(line, paint), inner))
  return [clipStyled(head, columns), ...given, ...(tool.output === null ? [] : output.map((line) => `    ${line}`))]
}

/** No tick where nothing says how it ended. */
function stateMark({ output, failed }: ToolCall, paint: Paint): string {
  if (output === null) return paint.warn('…')
  if (failed === null) return paint.dim('•')
  return failed ? paint.error('✗') : paint.ok('✓')
}

function windowOf(lines: readonly string[]): readonly string[] {
  const hidden = lines.length - outputHead - outputTail
  if (hidden <= 1) return lines
  return [...lines.slice(0, outputHead), `… ${hidden} lines are not shown …`, ...lines.slice(-outputTail)]
}

/** Diffs are common in outputs, and coloured; the rest is as it came. */
function styleOutput(line: string, paint: Paint): string {
  return /^(@@ |[+-](?![+-])|diff --git )/.test(line) ? styleDiff(line, paint) : paint.dim(line)
}

/** What a person would say it was called with: the command, the file, else the first text. */
export function briefArguments(given: unknown): string {
  if (typeof given === 'string') return given.slice(0, 400)
  if (typeof given !== 'object' || given === null) return ''
  const fields = given as Readonly<Record<string, unknown>>
  for (const name of ['command', 'cmd', 'file_path', 'path', 'pattern', 'query', 'url', 'description', 'prompt']) {
    const value = fields[name]
    if (typeof value === 'string') return value.slice(0, 400)
    if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value.join(' ').slice(0, 400)
  }
  return Object.keys(fields).length === 0 ? '' : JSON.stringify(given).slice(0, 400)
}

function longArguments(given: unknown): string {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    return typeof given === 'string' ? given : (JSON.stringify(given, null, 2) ?? '')
  return Object.entries(given)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join('\n')
}
