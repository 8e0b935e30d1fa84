// A session for reading in a terminal: prompts stand out, tool calls take one line, thinking is dim.

import { cleanLine, cleanText } from '../../lib/text/clean.ts'
import { exactTime } from '../../lib/text/time.ts'
import { cutToWidth } from '../../lib/text/width.ts'
import { sessionAddress } from '../../model/render.ts'
import type { Message, ToolCall } from '../../model/session.ts'
import type { Colors } from '../output.ts'
import { compactionNote, type DocumentHead, type DocumentWriter, roleLabels, turnTitle } from './document.ts'
import { argumentsText, describeTool } from './tool-line.ts'

export interface TerminalOptions {
  readonly colors: Colors
  readonly columns: number
  /** Arguments and output of tool calls in full. */
  readonly tools: boolean
}

export function createTerminalWriter({ colors, columns, tools }: TerminalOptions): DocumentWriter {
  const { bold, cyan, dim, italic, red, yellow } = colors
  const ruleWidth = Math.min(Number.isFinite(columns) ? columns : 80, 100)
  const rule = (text: string) => dim(`── ${text} ${'─'.repeat(Math.max(0, ruleWidth - text.length - 4))}`)

  const toolText = (tool: ToolCall) => {
    const { name, about, outcome } = describeTool(tool)
    const failed = tool.failed === true
    const room = columns - name.length - outcome.length - 8
    const line = `  ${cyan('▸')} ${bold(name)}${about === '' ? '' : ` ${cutToWidth(about, Math.max(20, room))}`} ${(failed ? red : dim)(`(${outcome})`)}\n`
    if (!tools) return line
    return `${line}${indent(cleanText(argumentsText(tool.arguments)), dim)}${indent(cleanText(tool.output ?? ''), (text) => text)}`
  }

  let afterTool = false
  const messageText = (message: Message) => {
    const gap = afterTool && message.tool === undefined ? '\n' : ''
    afterTool = message.tool !== undefined
    return gap + ownText(message)
  }

  const ownText = (message: Message) => {
    const thinking = message.thinking ? `${indent(cleanText(message.thinking), (text) => dim(italic(text)))}\n` : ''
    if (message.tool !== undefined) return thinking + toolText(message.tool)
    const text = cleanText(message.text).trimEnd()
    if (text === '') return thinking
    switch (message.role) {
      case 'user':
        return `${thinking}${text
          .split('\n')
          .map((line) => `${cyan('❯')} ${bold(line)}`)
          .join('\n')}\n\n`
      case 'assistant':
        return `${thinking}${text}\n\n`
      case 'error':
        return `${thinking}${red(`${roleLabels.error}: ${text}`)}\n\n`
      case 'system':
        // What the harness told the model: long, and seldom what one reads a session for.
        return `${thinking}${dim(tools ? `${roleLabels.system}: ${text}` : cutToWidth(`${roleLabels.system}: ${cleanLine(text)}`, Math.min(columns, 120)))}\n\n`
      default:
        return `${thinking}${dim(`${roleLabels[message.role]}: ${text}`)}\n\n`
    }
  }

  return {
    begin: ({ session, turn }: DocumentHead) => {
      const facts = [session.model, session.branch, session.cwd, `${session.turns} turns`, session.live ? 'live' : null]
      const head = `${bold(cleanLine(session.title) || '(no prompt)')}\n${dim(sessionAddress(session))}\n${dim(cleanLine(facts.filter(Boolean).join(' · ')))}\n`
      const broken = session.broken === null ? '' : `${yellow(`Incomplete: ${cleanLine(session.broken)}`)}\n`
      return turn === null ? `${head}${broken}\n` : ''
    },
    entry: (entry) => {
      switch (entry.kind) {
        case 'turn':
          afterTool = false
          return `${rule(`${turnTitle(entry.turn)} · ${exactTime(entry.turn.startedAt)}`)}\n\n`
        case 'message':
          return messageText(entry.message)
        case 'compaction':
          return `${rule(compactionNote)}\n\n`
        case 'skipped':
          return ''
      }
    },
    end: () => '',
  }
}

function indent(text: string, paint: (text: string) => string): string {
  if (text.trim() === '') return ''
  return `${text
    .trimEnd()
    .split('\n')
    .map((line) => `    ${paint(line)}`)
    .join('\n')}\n`
}
