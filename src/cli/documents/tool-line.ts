// A tool call in one line: its name, the argument that says most, and how it ended.

import { cleanLine } from '../../lib/text/clean.ts'
import type { ToolCall } from '../../model/session.ts'

/** In order of how much they tell; the names both agents' tools use. */
const tellingArguments = [
  'command',
  'cmd',
  'file_path',
  'path',
  'notebook_path',
  'pattern',
  'query',
  'url',
  'description',
  'prompt',
  'input',
]

const longest = 2000

export function describeTool(tool: ToolCall): { readonly name: string; readonly about: string; readonly outcome: string } {
  return { name: cleanLine(tool.name), about: aboutOf(tool.arguments), outcome: outcomeOf(tool) }
}

function aboutOf(value: unknown): string {
  const given = typeof value === 'string' ? (parseObject(value) ?? value) : value
  if (typeof given === 'string') return cleanLine(given.slice(0, longest))
  if (typeof given !== 'object' || given === null) return given === undefined || given === null ? '' : String(given)
  const fields = given as Readonly<Record<string, unknown>>
  for (const name of tellingArguments) {
    const field = fields[name]
    if (typeof field === 'string' && field !== '') return cleanLine(field.slice(0, longest))
    if (Array.isArray(field) && field.length > 0) return cleanLine(field.join(' ').slice(0, longest))
  }
  const text = JSON.stringify(fields)
  return text === '{}' ? '' : cleanLine(text.slice(0, longest))
}

/** Codex keeps a function's arguments as JSON text. */
function parseObject(text: string): object | undefined {
  if (!text.startsWith('{')) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined // then it is shown as the text it is
  }
}

function outcomeOf({ output, exitCode, failed }: ToolCall): string {
  if (output === null) return 'no result'
  const end = failed !== true ? '' : exitCode ? `exit ${exitCode}, ` : 'failed, '
  if (output.trim() === '') return `${end}no output`
  const lines = countLines(output)
  return `${end}${lines === 1 ? '1 line' : `${lines} lines`}`
}

function countLines(text: string): number {
  let lines = 1
  for (let at = text.indexOf('\n'); at !== -1 && at < text.length - 1; at = text.indexOf('\n', at + 1)) lines += 1
  return lines
}

/** The arguments as text for a full view: a string as it is, anything else as JSON. */
export function argumentsText(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2)
}
