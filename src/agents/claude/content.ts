// The text of a line: of a message's content, of a system line, of an attachment. words.ts tells whose words they are.
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
