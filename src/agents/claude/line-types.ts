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
].map((type) => Buffer.from(`{"type":"${type}"`))

export function isBulk({ buffer, start, end, torn }: Line): boolean {
  if (torn || end - start < 40 || buffer[start + 2] !== 0x74) return false
  return bulkStarts.some((bytes) => bytes.compare(buffer, start, start + bytes.length) === 0)
}
