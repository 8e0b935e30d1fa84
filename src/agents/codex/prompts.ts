// Tells what the user typed from what Codex itself puts into the conversation under the role `user`: AGENTS.md, environment,
// hook and shell texts, what an IDE adds. New files name the kind of every part; older ones (0.142 and before) leave only the
// text to go by.
import { isObject } from '../../lib/jsonl.ts'
import type { Role } from '../../model/session.ts'
import type { Body } from './lines.ts'

/** Tags of texts that Codex up to 0.166 puts in. */
const injectedTags = [
  'apps_instructions',
  'codex_delegation',
  'codex_internal_context',
  'collaboration_mode',
  'context_window(?:_guidance|_reminder)?',
  'current_time_(?:reminder|unavailable)',
  'environment_context',
  'environments_instructions',
  'git_attribution',
  'hook_prompt',
  'image_resize_notice',
  'INSTRUCTIONS',
  'model_switch',
  'multi_agent_(?:mode|role)',
  'permissions instructions',
  'persistent_mode',
  'personality_spec',
  'plugins_instructions',
  'realtime_(?:conversation|delegation)',
  'recommended_plugins',
  'skill',
  'skills_instructions',
  'subagent_notification',
  'token_budget',
  'turn_aborted',
  'user_action',
  'user_instructions',
  'user_shell_command',
]
const injectedText = new RegExp(`^\\s*(# AGENTS\\.md instructions|<(${injectedTags.join('|')})\\b)`, 'i')
/** Of those, what Codex writes when a run begins. */
const contextText =
  /^\s*(# AGENTS\.md instructions|<(environment_context|permissions instructions|user_instructions|collaboration_mode|skills_instructions)\b)/i
/** What an IDE says of its state stands in front of the words, which these headings begin. */
const fromIde = /^\s*# (?:Context from my IDE setup|Files mentioned by the user):[\s\S]*?\n## My request for Codex:[ \t]*\n?/
const refusalTag = 'offshoot_refusal'
const refusalText = new RegExp(`^<${refusalTag}>[^<]*</${refusalTag}>$`)
const summaryText = /^\s*Another language model started to solve this problem and produced a summary/

/** A refusal has no words in Codex' protocol: offshoot's own are sent as if typed, and recognised by this tag when read. */
export function tagRefusal(reason: string): string {
  return `<${refusalTag}>${reason}</${refusalTag}>`
}

export function isRefusal(message: Body): boolean {
  return message.role === 'user' && refusalText.test(textOf(message.content))
}

export function roleOf(message: Body): Role {
  if (message.role === 'assistant') return 'assistant'
  if (message.role !== 'user' || isRefusal(message)) return 'system'
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

export function isContextText(text: string): boolean {
  return contextText.test(text)
}

/** What a run tells the model of itself, not of the conversation. */
export function isRunContext(message: Body): boolean {
  return message.role === 'developer' || (message.role === 'user' && isContextText(textOf(message.content)))
}

/** What the user typed of a message: of its parts those that are the user's, without what an IDE put in front. */
export function wordsOf(message: Body): string {
  const { kinds } = passthroughOf(message)
  const parts = listOf(message.content)
  const isMarked = kinds.length === parts.length && kinds.some((kind) => kind.startsWith('user.'))
  const own = isMarked ? parts.filter((_, at) => kinds[at]?.startsWith('user.')) : message.content
  return typedWords(
    partsOf(own)
      .filter((part) => isMarked || !injectedText.test(part))
      .join('\n') || textOf(message.content),
  )
}

/** The same of a text. */
export function typedWords(text: string): string {
  const words = text.replace(fromIde, '')
  return words.trim() === '' ? text : words
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
