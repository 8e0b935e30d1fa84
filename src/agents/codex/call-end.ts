// How a call ended, by the records Codex writes of it besides its output. Checked against 0.142 and 0.166: a command that was
// refused, a patch that does not fit and a tool there is not have no such record, only their output tells.
import { isObject } from '../../lib/jsonl.ts'
import { type RolloutRecord, textOrNull } from './lines.ts'

export interface CallEnd {
  readonly callId: string
  readonly exitCode: number | null
  readonly failed: boolean | null
}

/** Items of calls other than commands. The others are many and long, and not parsed for this. */
const callItems = new Set(['FileChange', 'McpToolCall'])

/** `null` for a record that tells of no call's end. */
export function callEndOf(record: RolloutRecord): CallEnd | null {
  switch (record.subtype) {
    case 'item_completed':
      return endOfItem(record)
    case 'patch_apply_end': {
      const { success } = record.payload ?? {}
      return endOf(record.payload?.call_id, typeof success === 'boolean' ? !success : null)
    }
    case 'mcp_tool_call_end':
      return endOf(record.payload?.call_id, mcpFailed(record.payload?.result))
    default:
      return null
  }
}

function endOfItem(record: RolloutRecord): CallEnd | null {
  const { commandId } = record
  const exitCode = commandId === null ? null : record.exitCode
  if (commandId !== null && exitCode !== null) return { callId: commandId, exitCode, failed: exitCode !== 0 }
  if (commandId === null && !callItems.has(record.itemType ?? '')) return null
  const item = record.payload?.item
  return isObject(item) ? endOf(item.id, failedBy(item.status)) : null
}

function endOf(callId: unknown, failed: boolean | null): CallEnd | null {
  return typeof callId === 'string' ? { callId, exitCode: null, failed } : null
}

/** By the status Codex gives an item. */
export function failedBy(status: unknown): boolean | null {
  const known = textOrNull(status)
  if (known === 'failed' || known === 'declined') return true
  return known === 'completed' ? false : null
}

function mcpFailed(result: unknown): boolean | null {
  if (!isObject(result)) return null
  if (isObject(result.Ok)) return (result.Ok.is_error ?? result.Ok.isError) === true
  return result.Err === undefined ? null : true
}
