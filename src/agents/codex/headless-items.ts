// Items of a turn as the app-server tells them, as calls of tools and their results. Pure.
import { isObject } from '../../lib/jsonl.ts'
import { findCalls } from '../../lib/shell-words.ts'
import type { RunEvent } from '../../model/run.ts'
import { type Body, textOrNull } from './lines.ts'

type ToolCall = Pick<Extract<RunEvent, { kind: 'tool_call' }>, 'tool' | 'arguments'>
type ToolResult = Pick<Extract<RunEvent, { kind: 'tool_result' }>, 'output' | 'exitCode' | 'failed'>

/** `null`: no call of a tool. Tools are named as in Codex' own transcripts. */
export function callOf(item: Body): ToolCall | null {
  switch (item.type) {
    case 'commandExecution':
      return { tool: 'exec_command', arguments: { command: innerCommand(String(item.command)), cwd: item.cwd } }
    case 'fileChange':
      return { tool: 'apply_patch', arguments: { changes: item.changes } }
    case 'mcpToolCall':
      return { tool: mcpTool(item.server, item.tool), arguments: item.arguments }
    case 'dynamicToolCall':
      return { tool: String(item.tool), arguments: item.arguments }
    case 'collabAgentToolCall':
      return { tool: snakeCase(String(item.tool)), arguments: { prompt: item.prompt, agents: item.receiverThreadIds } }
    case 'webSearch':
      return { tool: 'web_search', arguments: { query: item.query } }
    case 'imageView':
      return { tool: 'view_image', arguments: { path: item.path } }
    default:
      return null
  }
}

export function resultOf(item: Body): ToolResult {
  const exitCode = typeof item.exitCode === 'number' ? item.exitCode : null
  const failed = item.status === 'failed' || item.status === 'declined' || (exitCode !== null && exitCode !== 0)
  return { output: outputOf(item), exitCode, failed }
}

function outputOf(item: Body): string {
  switch (item.type) {
    case 'commandExecution':
      return textOrNull(item.aggregatedOutput) ?? (item.status === 'declined' ? 'declined' : '')
    case 'fileChange':
      return item.status === 'completed' ? changedFiles(item.changes) : String(item.status)
    case 'mcpToolCall':
      return mcpOutput(item)
    case 'collabAgentToolCall':
      return statesText(item.agentsStates)
    default:
      return Array.isArray(item.contentItems) ? textsOf(item.contentItems) : ''
  }
}

function mcpOutput({ result, error }: Body): string {
  if (isObject(error)) return String(error.message)
  if (!isObject(result)) return ''
  // What the model is sent: the structured answer alone where there is one.
  if (result.structuredContent !== null && result.structuredContent !== undefined) return JSON.stringify(result.structuredContent)
  return Array.isArray(result.content) ? textsOf(result.content) : ''
}

function textsOf(parts: readonly unknown[]): string {
  return parts
    .map((part) =>
      isObject(part) && typeof part.text === 'string' ? part.text : `[${isObject(part) ? part.type : typeof part}]`,
    )
    .join('\n')
}

function statesText(states: unknown): string {
  const known = isObject(states) ? Object.values(states).filter(isObject) : []
  return known.map(({ status, message }) => [status, message].filter((part) => typeof part === 'string').join(': ')).join('\n')
}

/** One line a file: `add src/a.ts`. */
export function changedFiles(changes: unknown): string {
  const known = Array.isArray(changes) ? changes.filter(isObject) : []
  return known.map(({ kind, path }) => `${isObject(kind) ? kind.type : 'change'} ${path}`).join('\n')
}

export function mcpTool(server: unknown, tool: unknown): string {
  return `mcp__${server}__${tool}`
}

/** What a person would have typed: Codex shows the shell around it too, `/bin/bash -lc '...'`. */
export function innerCommand(command: string): string {
  const [call, ...more] = findCalls(command, (name) => /^(ba|z|da|k)?sh$/.test(name))
  const [flag, script, ...rest] = call?.args ?? []
  const isWrapped = call?.program.start === 0 && more.length === 0 && rest.length === 0 && /^-l?c$/.test(flag?.text ?? '')
  return isWrapped && script !== undefined ? script.text : command
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
