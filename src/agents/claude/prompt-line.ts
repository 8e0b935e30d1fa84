// Finds the lines of prompts, reading the transcript backwards: the newest turn stands at the end of a file that may be huge, and
// the hook has no time to read all of it. Only lines that name a prompt are parsed.
import { closeSync, fstatSync, readSync } from 'node:fs'
import { fileErrorCode, isMissing } from '../../lib/file-errors.ts'
import { isObject, longestLine } from '../../lib/jsonl.ts'
import { openRegular } from '../../lib/regular-file.ts'
import type { WrittenPrompt } from '../hooks.ts'
import { textOf } from './content.ts'
import { timeOf } from './facts.ts'
import { isPrompt } from './words.ts'

const blockBytes = 1 << 20
const newline = 0x0a

/**
 * The uuid of the prompt's line; `null` when the file does not hold it (yet). Of several lines with this id the last counts:
 * 2.1.325 gives every line that `--fork-session` copies one id. What a background task reports has a prompt id of its own and
 * belongs to the turn before it.
 */
export function findPromptLine(path: string, promptId: string, bytes = blockBytes): string | null {
  let wanted = Buffer.from(`"promptId":"${promptId}"`)
  for (const line of linesBackwards(path, bytes)) {
    if (line.indexOf(wanted) === -1) continue
    const said = parseSaid(line)
    if (said === null) continue
    const { fields, text } = said
    if (isPrompt(fields, text)) return fields.uuid
    if (isObject(fields.origin) && fields.origin.kind === 'task-notification') wanted = anyPrompt
  }
  return null
}

/** Prompts of which lines were written since that time, newest first. */
export function findPromptsSince(path: string, since: number, bytes = blockBytes): WrittenPrompt[] {
  const found: WrittenPrompt[] = []
  for (const line of linesBackwards(path, bytes)) {
    const said = line.indexOf(anyPrompt) === -1 ? null : parseSaid(line)
    if (said === null || !isPrompt(said.fields, said.text)) continue
    const { promptId, timestamp } = said.fields
    const writtenAt = typeof timestamp === 'string' ? timeOf(timestamp) : null
    if (typeof promptId !== 'string' || writtenAt === null || writtenAt < since) break
    found.push({ turnKey: promptId, prompt: said.text, writtenAt })
  }
  return found
}

const anyPrompt = Buffer.from('"promptId":"')

interface Said {
  readonly fields: Readonly<Record<string, unknown>> & { readonly uuid: string }
  readonly text: string
}

/** A user line that is not a tool result. */
function parseSaid(line: Buffer): Said | null {
  const fields = parseLine(line)
  if (fields === null || fields.type !== 'user' || fields.isSidechain === true || typeof fields.uuid !== 'string') return null
  const content = isObject(fields.message) ? fields.message.content : null
  return hasToolResult(content) ? null : { fields: { ...fields, uuid: fields.uuid }, text: textOf(content) }
}

function hasToolResult(content: unknown): boolean {
  return Array.isArray(content) && content.some((block) => isObject(block) && block.type === 'tool_result')
}

function parseLine(line: Buffer): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(line.toString('utf8'))
    return isObject(value) ? value : null
  } catch {
    return null // half a line: the agent is still writing
  }
}

/** Complete and torn lines, last first, each without its newline. */
function* linesBackwards(path: string, bytes: number): Generator<Buffer> {
  const fd = openIfThere(path)
  if (fd === null) return
  try {
    let end = fstatSync(fd).size
    // Parts of the line whose start is not reached yet, in file order.
    let rest: Buffer[] = []
    while (end > 0) {
      const block = readBlock(fd, Math.max(0, end - bytes), end)
      if (block.length === 0) return
      end = Math.max(0, end - bytes)
      let lineEnd = block.length
      for (let at = block.lastIndexOf(newline); at !== -1; at = at === 0 ? -1 : block.lastIndexOf(newline, at - 1)) {
        const part = block.subarray(at + 1, lineEnd)
        yield rest.length === 0 ? part : Buffer.concat([part, ...rest])
        rest = []
        lineEnd = at
      }
      rest.unshift(block.subarray(0, lineEnd))
      if (rest.length * bytes > longestLine) return
    }
    yield Buffer.concat(rest)
  } finally {
    closeSync(fd)
  }
}

function openIfThere(path: string): number | null {
  try {
    return openRegular(path)
  } catch (error) {
    if (isMissing(error) || fileErrorCode(error) === 'unreadable') return null
    throw error
  }
}

function readBlock(fd: number, start: number, end: number): Buffer {
  const block = Buffer.allocUnsafe(end - start)
  let filled = 0
  while (filled < block.length) {
    const got = readSync(fd, block, filled, block.length - filled, start + filled)
    if (got === 0) break // cut short meanwhile
    filled += got
  }
  return block.subarray(0, filled)
}
