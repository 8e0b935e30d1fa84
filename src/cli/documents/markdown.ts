// A session as Markdown. What a person or a tool wrote is quoted or fenced so that it cannot break out of its place, however
// many backticks it holds, and raw HTML in it stays text.

import { cleanLine, cleanText } from '../../lib/text/clean.ts'
import { exactTime } from '../../lib/text/time.ts'
import { renderTime, sessionAddress } from '../../model/render.ts'
import type { Message, ToolCall } from '../../model/session.ts'
import { compactionNote, type DocumentHead, type DocumentWriter, firstLine, roleLabels, turnTitle } from './document.ts'
import { harmlessMarkdown } from './harmless-markdown.ts'
import { argumentsText, describeTool } from './tool-line.ts'

export interface MarkdownOptions {
  /** Arguments and output of tool calls in full. */
  readonly tools: boolean
}

export function createMarkdownWriter({ tools }: MarkdownOptions): DocumentWriter {
  return {
    begin: (head) => headText(head),
    entry: (entry) => {
      switch (entry.kind) {
        case 'turn': {
          const prompt = cleanLine(firstLine(entry.turn.prompt)).slice(0, 100)
          return `## ${turnTitle(entry.turn)}${prompt === '' ? '' : `: ${escapeInline(prompt)}`}\n\n*${exactTime(entry.turn.startedAt)}*\n\n`
        }
        case 'message':
          return messageText(entry.message, tools)
        case 'compaction':
          return `---\n\n*${compactionNote}*\n\n---\n\n`
        case 'skipped':
          return ''
      }
    },
    end: () => '',
  }
}

function headText({ session }: DocumentHead): string {
  const facts: [string, string | null][] = [
    ['Session', sessionAddress(session)],
    ['Working directory', session.cwd],
    ['Branch', session.branch],
    ['Model', session.model],
    ['Started', renderTime(session.createdAt)],
    ['Updated', renderTime(session.updatedAt)],
    ['Forked from', session.parent === null ? null : parentText(session.parent)],
    ['Incomplete', session.broken],
  ]
  const lines = facts.flatMap(([name, value]) => (value === null ? [] : [`- ${name}: ${inlineCode(cleanLine(value))}`]))
  return `# ${escapeInline(cleanLine(session.title) || '(no prompt)')}\n\n${lines.join('\n')}\n\n`
}

function parentText(parent: NonNullable<DocumentHead['session']['parent']>): string {
  const turn = parent.turnNumber ?? parent.turnId
  return `${parent.agent}:${parent.sessionId}${turn === null ? '' : `@${turn}`}`
}

function messageText(message: Message, tools: boolean): string {
  const thinking = message.thinking
    ? `<details><summary>Thinking</summary>\n\n${fence(cleanText(message.thinking))}\n</details>\n\n`
    : ''
  if (message.tool !== undefined) return thinking + toolText(message.tool, tools)
  const text = cleanText(message.text).trim()
  if (text === '') return thinking
  if (message.role === 'system' && !tools)
    return `${thinking}*${roleLabels.system}:* ${inlineCode(cleanLine(text).slice(0, 120))}\n\n`
  if (message.role === 'assistant') return `${thinking}**${roleLabels.assistant}**\n\n${harmlessMarkdown(closeFences(text))}\n\n`
  return `${thinking}**${roleLabels[message.role]}**\n\n${quote(text)}\n\n`
}

function toolText(tool: ToolCall, full: boolean): string {
  const { name, about, outcome } = describeTool(tool)
  const line = `- **${escapeInline(name)}** ${about === '' ? '' : `${inlineCode(about.slice(0, 200))} `}(${outcome})\n\n`
  if (!full) return line
  const given = cleanText(argumentsText(tool.arguments))
  return `${line}${given === '' ? '' : `${fence(given)}\n`}${tool.output ? `${fence(cleanText(tool.output))}\n` : ''}`
}

/** A fence longer than any run of backticks inside. */
export function fence(text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length))
  const mark = '`'.repeat(longest + 1)
  return `${mark}\n${text.replace(/\n$/, '')}\n${mark}\n`
}

function quote(text: string): string {
  return harmlessMarkdown(closeFences(text))
    .split('\n')
    .map((line) => (line === '' ? '>' : `> ${line}`))
    .join('\n')
}

/** An answer that was cut off inside a code block must not swallow what follows. */
export function closeFences(text: string): string {
  let open: string | undefined
  for (const line of text.split('\n')) {
    const mark = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line)
    if (mark?.[1] === undefined) continue
    if (open === undefined) open = mark[1][0] === '`' && mark[2]?.includes('`') ? undefined : mark[1]
    else if (mark[1][0] === open[0] && mark[1].length >= open.length && mark[2]?.trim() === '') open = undefined
  }
  return open === undefined ? text : `${text}\n${open}`
}

function inlineCode(text: string): string {
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length))
  const mark = '`'.repeat(longest + 1)
  return longest === 0 ? `${mark}${text}${mark}` : `${mark} ${text} ${mark}`
}

function escapeInline(text: string): string {
  return text.replace(/[\\`*_[\]<>#|~]/g, '\\$&')
}
