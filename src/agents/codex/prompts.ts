// Tells what a person typed from what Codex itself puts into the conversation under the role `user`: AGENTS.md, environment,
// hook and shell texts. New files name the kind of every part; older ones (0.142 and before) leave only the text to go by.
import { isObject } from '../../lib/jsonl.ts'
import type { Role } from '../../model/session.ts'
import type { Body } from './lines.ts'

const injectedText =
  /^\s*(# AGENTS\.md instructions|<(environment_context|user_instructions|INSTRUCTIONS|turn_aborted|user_shell_command|hook_prompt|skill|skills_instructions|permissions instructions|collaboration_mode|subagent_notification|codex_internal_context|recommended_plugins)\b)/i
const summaryText = /^\s*Another language model started to solve this problem and produced a summary/

export function roleOf(message: Body): Role {
  if (message.role === 'assistant') return 'assistant'
  if (message.role !== 'user') return 'system'
  const { kinds, sources } = passthroughOf(message)
  if (kinds.includes('compaction.summary')) return 'summary'
  if (kinds.some((kind) => kind.startsWith('user.')) || sources.includes('user')) return 'user'
  // A Stop hook's text has the kind `unknown`, but its source is the harness (sample 13).
  if (kinds.some((kind) => kind !== 'unknown') || sources.length > 0) return 'system'
  return roleOfText(partsOf(message.content))
}

function roleOfText(parts: readonly string[]): Role {
  if (parts.some((part) => summaryText.test(part))) return 'summary'
  return parts.length > 0 && parts.every((part) => injectedText.test(part)) ? 'system' : 'user'
}

function passthroughOf(message: Body): { kinds: string[]; sources: string[] } {
  const passthrough = message.internal_chat_message_metadata_passthrough
  if (!isObject(passthrough)) return { kinds: [], sources: [] }
  const kinds = listOf(passthrough.content_item_kinds).filter((kind) => typeof kind === 'string')
  const sources = listOf(passthrough.content_item_metadata).flatMap((metadata) => {
    const provenance = isObject(metadata) ? metadata.provenance : undefined
    return isObject(provenance) && typeof provenance.type === 'string' ? [provenance.type] : []
  })
  return { kinds, sources }
}

/** Nothing but its text tells what a message of the role `user` is: an old file, or one made by hand. */
export function isUnmarked(message: Body): boolean {
  const { kinds, sources } = passthroughOf(message)
  return message.role === 'user' && kinds.length === 0 && sources.length === 0
}

/** The turn that a prompt says it belongs to. Not told by old files, nor by items a client put in. */
export function turnIdOf(prompt: Body): string | null {
  const passthrough = prompt.internal_chat_message_metadata_passthrough
  const turnId = isObject(passthrough) ? passthrough.turn_id : undefined
  const isTyped = passthroughOf(prompt).kinds.some((kind) => kind.startsWith('user.'))
  return isTyped && typeof turnId === 'string' && turnId !== '' ? turnId : null
}

const image = '[image]'
const imageMark = /^<image\b[^>]*>$|^<\/image>$/

/** The texts of a message's content, an output's content, or a plain string. A picture stands between two marks. */
function partsOf(content: unknown): string[] {
  if (typeof content === 'string') return [content]
  const parts = listOf(content).flatMap((part) => {
    if (typeof part === 'string') return [part]
    if (!isObject(part)) return []
    if (typeof part.text === 'string') return [part.text]
    return typeof part.type === 'string' && part.type.includes('image') ? [image] : []
  })
  if (!parts.includes(image)) return parts
  return parts.filter((part, at) => !(imageMark.test(part) && (parts[at - 1] === image || parts[at + 1] === image)))
}

export function textOf(content: unknown): string {
  return partsOf(content).join('\n')
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}
