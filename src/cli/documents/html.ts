// A session as one self-contained page: no script, no request to anywhere, light and dark by the reader's own setting, and
// every character of the transcript escaped.

import { cleanLine, cleanText } from '../../lib/text/clean.ts'
import { exactTime } from '../../lib/text/time.ts'
import { renderTime, sessionAddress } from '../../model/render.ts'
import type { Message, ToolCall, Turn } from '../../model/session.ts'
import { compactionNote, type DocumentHead, type DocumentWriter, firstLine, roleLabels, turnTitle } from './document.ts'
import { pageStyle } from './html-style.ts'
import { argumentsText, describeTool } from './tool-line.ts'

export function createHtmlWriter(): DocumentWriter {
  let inTurn = false
  const closeTurn = () => {
    const closing = inTurn ? '</section>\n' : ''
    inTurn = false
    return closing
  }
  return {
    begin: (head) => headHtml(head),
    entry: (entry) => {
      switch (entry.kind) {
        case 'turn': {
          const closing = closeTurn()
          inTurn = true
          return `${closing}<section aria-labelledby="${turnAnchor(entry.turn)}">\n<h2 id="${turnAnchor(entry.turn)}">${escapeHtml(turnTitle(entry.turn))} ${timeHtml(entry.turn.startedAt)}</h2>\n`
        }
        case 'message':
          return messageHtml(entry.message)
        case 'compaction':
          return `<p class="compaction" role="note">${compactionNote}</p>\n`
        case 'skipped':
          return ''
      }
    },
    end: () => `${closeTurn()}</main>\n</body>\n</html>\n`,
  }
}

function headHtml({ session, turns }: DocumentHead): string {
  const title = escapeHtml(cleanLine(session.title) || '(no prompt)')
  const facts: [string, string | null][] = [
    ['Session', sessionAddress(session)],
    ['Working directory', session.cwd],
    ['Branch', session.branch],
    ['Model', session.model],
    ['Updated', renderTime(session.updatedAt)],
    ['Incomplete', session.broken],
  ]
  const rows = facts.flatMap(([name, value]) =>
    value === null ? [] : [`<dt>${name}</dt><dd>${escapeHtml(cleanLine(value))}</dd>`],
  )
  const contents = turns.map((turn) => {
    const prompt = escapeHtml(cleanLine(firstLine(turn.prompt)).slice(0, 100))
    return `<li><a href="#${turnAnchor(turn)}">${escapeHtml(turnTitle(turn))}</a> ${prompt}</li>`
  })
  const nav =
    contents.length < 2
      ? ''
      : `<nav aria-label="Turns"><details><summary>${contents.length} turns</summary><ul>\n${contents.join('\n')}\n</ul></details></nav>\n`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${title}</title>
<style>${pageStyle}</style>
</head>
<body>
<a class="skip" href="#transcript">Skip to the transcript</a>
<header>
<h1>${title}</h1>
<dl>${rows.join('')}</dl>
</header>
${nav}<main id="transcript">
`
}

function messageHtml(message: Message): string {
  const thinking = message.thinking
    ? `<details class="thinking"><summary>Thinking</summary><pre>${escapeHtml(cleanText(message.thinking))}</pre></details>\n`
    : ''
  if (message.tool !== undefined) return thinking + toolHtml(message.tool)
  const text = cleanText(message.text).trim()
  if (text === '') return thinking
  return `${thinking}<article class="${message.role}"><h3>${roleLabels[message.role]}</h3><div class="text">${escapeHtml(text)}</div></article>\n`
}

function toolHtml(tool: ToolCall): string {
  const { name, about, outcome } = describeTool(tool)
  const given = cleanText(argumentsText(tool.arguments))
  const failed = tool.failed === true
  const parts = [
    given === '' ? '' : `<h4>Arguments</h4><pre>${escapeHtml(given)}</pre>`,
    tool.output === null || tool.output === '' ? '' : `<h4>Output</h4><pre>${escapeHtml(cleanText(tool.output))}</pre>`,
  ]
  return `<details class="tool${failed ? ' failed' : ''}"><summary><b>${escapeHtml(name)}</b> <code>${escapeHtml(about.slice(0, 200))}</code> <small>(${escapeHtml(outcome)})</small></summary>${parts.join('')}</details>\n`
}

function timeHtml(at: number | null): string {
  const exact = renderTime(at)
  return exact === null ? '' : `<time datetime="${exact}">${exactTime(at)}</time>`
}

function turnAnchor(turn: Turn): string {
  return `turn-${turn.number ?? turn.id.replace(/[^\w-]/g, '_')}`
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character)
}
