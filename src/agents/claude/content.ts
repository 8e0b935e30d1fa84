// What the content of a line says: the text of a message, and whether a user line is a person's prompt or was put there by
// the CLI. The rules were checked against files of 2.1.197 and 2.1.325.
import { isObject } from '../../lib/jsonl.ts'

/** Text of a content string or array; what is no text is named in brackets. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  const parts: string[] = []
  for (const block of content) {
    if (typeof block === 'string') parts.push(block)
    else if (isObject(block) && block.type !== 'tool_result') parts.push(blockText(block))
  }
  return parts.filter((part) => part !== '').join('\n')
}

function blockText(block: Record<string, unknown>): string {
  if (typeof block.text === 'string') return block.text
  return typeof block.type === 'string' && block.type !== 'text' ? `[${block.type}]` : ''
}

/** User lines around local commands; some of them carry no isMeta. */
const injectedStart =
  /^\s*<(?:command-name|local-command-stdout|local-command-stderr|local-command-caveat|bash-input|bash-stdout|bash-stderr|task-notification)>/

/** Written when a person presses Escape; both are the whole text of their line. */
const interruption = /^\s*\[Request interrupted by user(?: for tool use)?\]\s*$/

export function isInterruption(text: string): boolean {
  return interruption.test(text)
}

/** A line of type user without tool results: does it begin a turn? */
export function isPrompt(line: Record<string, unknown>, text: string): boolean {
  if (line.isMeta === true || line.repeatsCompactSummary === true || line.isVisibleInTranscriptOnly === true) return false
  if (isObject(line.origin) && line.origin.kind !== undefined && line.origin.kind !== 'human') return false
  return text.trim() !== '' && !injectedStart.test(text) && !isInterruption(text)
}

/** A command of the person's own (`/fix the tests`) is stored as tags; the line after it holds what it stands for. */
const command =
  /^\s*<command-message>[\s\S]*?<\/command-message>\s*<command-name>([\s\S]*?)<\/command-name>(?:\s*<command-args>([\s\S]*?)<\/command-args>)?/

/** A prompt as the person typed it. */
export function typedPrompt(text: string): string {
  const [, name, args] = command.exec(text) ?? []
  return name === undefined ? text : `${name} ${args ?? ''}`.trim()
}

/** What the model is shown of a system line; empty for those only the CLI reads. */
export function systemText(line: Record<string, unknown>): string {
  return line.subtype === 'local_command' && typeof line.content === 'string' ? line.content : ''
}

/** 2.1.325 records what it showed in `rendered`; 2.1.197 rendered on the fly, so the content is taken instead. */
export function attachmentText(line: Record<string, unknown>): string {
  if (isObject(line.attachment) && line.attachment.type === 'queued_command') return textOf(line.attachment.prompt)
  if (Array.isArray(line.rendered)) {
    return line.rendered
      .map((part) => (isObject(part) ? textOf(part.content) : ''))
      .filter((part) => part !== '')
      .join('\n')
  }
  if (!isObject(line.attachment)) return ''
  const { type, content, hookName, filename, snippet, addedLines, blockingError } = line.attachment
  switch (type) {
    case 'hook_additional_context':
      return Array.isArray(content) ? named(hookName, 'hook additional context', content.filter(isText).join('\n')) : ''
    case 'hook_success':
      return isText(content) ? named(hookName, 'hook success', content) : ''
    case 'hook_blocking_error':
      return isObject(blockingError) ? named(hookName, 'hook blocking error', textOf(blockingError.blockingError)) : ''
    case 'edited_text_file':
      return `${String(filename)} changed on disk:\n${textOf(snippet)}`
    case 'file':
      return `${String(filename)}:\n${fileText(content)}`
    case 'agent_listing_delta':
      return Array.isArray(addedLines) ? addedLines.filter(isText).join('\n') : ''
    case 'skill_listing':
      return textOf(content)
    default:
      return ''
  }
}

/** A prompt typed while a turn runs is stored as an attachment; a person's words all the same. */
export function isQueuedPrompt(line: Record<string, unknown>): boolean {
  if (!isObject(line.attachment) || line.attachment.type !== 'queued_command') return false
  const { origin, commandMode } = line.attachment
  if (isObject(origin) && origin.kind !== undefined && origin.kind !== 'human') return false
  return commandMode === undefined || commandMode === 'prompt'
}

function fileText(content: unknown): string {
  if (!isObject(content)) return textOf(content)
  return isObject(content.file) ? textOf(content.file.content) : ''
}

function named(hookName: unknown, what: string, text: string): string {
  return text === '' ? '' : `${isText(hookName) ? hookName : 'A'} ${what}: ${text}`
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
