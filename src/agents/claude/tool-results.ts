// What a tool gave back: the text the model was shown, whether it failed, and the exit code where the CLI tells it.
import { isObject } from '../../lib/jsonl.ts'
import { textOf } from './content.ts'

export interface ToolResult {
  readonly output: string
  readonly exitCode: number | null
  readonly failed: boolean
}

/** A failed command's result begins so; nothing else in the line holds the number. */
const exitCodeLine = /^(?:Error: )?Exit code (-?\d+)/

/** Adds the results of a content array by tool id; the first result of a call is the one that counts. */
export function readResults(content: unknown, exitCode: number | null, into: Map<string, ToolResult>): void {
  if (!Array.isArray(content)) return
  for (const block of content) {
    if (!isObject(block) || typeof block.type !== 'string' || !block.type.endsWith('tool_result')) continue
    const id = block.tool_use_id
    if (typeof id !== 'string' || into.has(id)) continue
    const output = textOf(block.content)
    // The exit code does not tell: for a fetched page the CLI stores the HTTP status there, and 200 means success.
    const failed = block.is_error === true
    into.set(id, { output, exitCode: failed ? toldExitCode(output) : exitCode, failed })
  }
}

function toldExitCode(output: string): number | null {
  const told = exitCodeLine.exec(output)?.[1]
  return told === undefined ? null : Number(told)
}
