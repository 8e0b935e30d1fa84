// What a tool gave back: the text the model was shown, and the exit code where the CLI tells it.
import { isObject } from '../../lib/jsonl.ts'
import { textOf } from './content.ts'

export interface ToolResult {
  readonly output: string
  readonly exitCode: number | null
}

/** A failed command's result begins so; nothing else in the line holds the number. */
const exitCodeLine = /^(?:Error: )?Exit code (-?\d+)/

/** Adds the results of a line by tool id; the first result of a call is the one that counts. */
export function readResults(line: Record<string, unknown>, into: Map<string, ToolResult>): void {
  const content = isObject(line.message) ? line.message.content : undefined
  if (!Array.isArray(content)) return
  for (const block of content) {
    if (!isObject(block) || typeof block.type !== 'string' || !block.type.endsWith('tool_result')) continue
    const id = block.tool_use_id
    if (typeof id !== 'string' || into.has(id)) continue
    const output = textOf(block.content)
    into.set(id, { output, exitCode: exitCodeOf(output, block.is_error === true, line.toolUseResult) })
  }
}

function exitCodeOf(output: string, isError: boolean, detail: unknown): number | null {
  const told = isError ? exitCodeLine.exec(output)?.[1] : undefined
  if (told !== undefined) return Number(told)
  if (!isObject(detail)) return null
  if (typeof detail.exitCode === 'number') return detail.exitCode
  if (typeof detail.code === 'number') return detail.code
  // Only commands give stdout; one that is still running or was cut short has no exit code yet.
  const ended = typeof detail.stdout === 'string' && detail.interrupted === false && detail.backgroundTaskId === undefined
  return ended && !isError ? 0 : null
}
