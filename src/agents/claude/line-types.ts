// The line types of Claude Code that carry no message: seen in files of 2.1.197 and 2.1.325, or read in the loaders of those
// binaries. Anything else is tolerated and counted as `unknown:<type>`.
import type { Line } from '../../lib/jsonl.ts'

export const chainTypes: ReadonlySet<string> = new Set(['user', 'assistant', 'attachment', 'system'])

export const otherTypes: ReadonlySet<string> = new Set([
  'agent-color',
  'agent-name',
  'agent-setting',
  'ai-title',
  'api-request',
  'api-request-blob',
  'api-request-shape',
  'artifact-autoreact-ledger',
  'artifact-comment-monitor',
  'atis-latch',
  'attribution-snapshot',
  'bridge-session',
  'content-replacement',
  'continued-in',
  'cost-state',
  'custom-title',
  'data-flow-incomplete',
  'data-flow-records',
  'derived-from',
  'dev-mods',
  'ended-by-model',
  'file-history-delta',
  'file-history-snapshot',
  'fork-context-ref',
  'history-suppression',
  'isolation-latch',
  'last-prompt',
  'marble-origami-commit',
  'marble-origami-reset',
  'marble-origami-snapshot',
  'memory-mode',
  'mode',
  'permission-mode',
  'pr-link',
  'progress',
  'queue-operation',
  'relocated',
  'repl-mode',
  'session-owner',
  'summary',
  'tag',
  'tools-used',
  'worktree-state',
])

/** State the CLI's own fork writes at the head of the child; the last of each counts. */
export const stateTypes: ReadonlySet<string> = new Set(['mode', 'atis-latch', 'tools-used'])

/** What a fork takes along besides messages: state, and which tool results the model was shown in short form. */
export const carriedTypes: ReadonlySet<string> = new Set([...stateTypes, 'content-replacement'])

/** Known types nothing is read from, though they are the bulk of many a file: told by how they begin, and passed over unread. */
const bulkStarts = [
  'api-request',
  'api-request-blob',
  'api-request-shape',
  'attribution-snapshot',
  'cost-state',
  'file-history-delta',
  'file-history-snapshot',
].map(startOf)

export function isBulk(line: Line): boolean {
  if (line.torn || line.buffer[line.start + 2] !== 0x74) return false
  for (const bytes of bulkStarts) if (startsWith(line, bytes)) return true
  return false
}

function startOf(type: string): Buffer {
  return Buffer.from(`{"type":"${type}"`)
}

/** Asks memcmp only where the first letter of the type and the closing quote are in place. */
function startsWith({ buffer, start, end }: Line, bytes: Buffer): boolean {
  if (buffer[start + 9] !== bytes[9] || buffer[start + bytes.length - 1] !== 0x22 || end - start < 40) return false
  return bytes.compare(buffer, start, start + bytes.length) === 0
}
