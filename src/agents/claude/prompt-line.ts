// Finds the lines of prompts, reading the transcript backwards: the newest turn stands at the end of a file that may be huge, and
// the hook has no time to read all of it. Only lines that name a prompt are parsed.
import { closeSync, fstatSync, readSync } from 'node:fs'
import { fileErrorCode, isMissing } from '../../lib/file-errors.ts'
import { isObject, longestLine } from '../../lib/jsonl.ts'
import { openRegular } from '../../lib/regular-file.ts'
import type { WrittenPrompt } from '../hooks.ts'
import { textOf } from './content.ts'
import { timeOf } from './facts.ts'
import { isPrompt, isUserCommand } from './words.ts'

const blockBytes = 1 << 20
const newline = 0x0a

export interface PromptLine {
  readonly uuid: string
  /** `null` for a prompt of a version that names none. */
  readonly promptId: string | null
}

/** The way up comes to a compaction that kept messages: which turn stood before it only the whole file tells. */
export const needsWhole = Symbol('needsWhole')
/** The answer that has just ended is not written yet. */
export const notWritten = Symbol('notWritten')

/**
 * The prompt with this id, else that of the turn the lines with this id belong to; `null` when the file does not tell (yet). Of several
 * prompts with this id the last counts: 2.1.325 gives every line that `--fork-session` copies one id. The report of a background task and, in
 * 2.1.325, a `!` command have an id of their own and belong to the turn of the prompt above them.
 */
export function findPromptLine(path: string, promptId: string, bytes = blockBytes): PromptLine | null {
  const found = searchUp(path, { promptId, isDecidedBy: () => false }, bytes)
  return found === needsWhole ? null : found
}

/**
 * The prompt of the turn whose answer under this id has just ended; without an id, of the newest answer. The chain decides: 2.1.197 gives a
 * `!` command the id of the last prompt, also where that was rewound, and after a resume none. `isAgain`: an answer under this id has ended before.
 */
export function findEndedTurn(
  path: string,
  promptId: string | null,
  isAgain: boolean,
  bytes = blockBytes,
): PromptLine | typeof needsWhole | typeof notWritten | null {
  if (promptId !== null && !isAgain) return searchUp(path, { promptId, isDecidedBy: isOfCommand }, bytes)
  const newest = findNewestMessage(path, bytes)
  if (newest === null) return null
  if (!isAnswering(newest)) return notWritten
  if (promptId !== null) return searchUp(path, { promptId, isDecidedBy: isOfCommand }, bytes)
  return typeof newest.uuid === 'string' ? searchUp(path, { uuid: newest.uuid }, bytes) : null
}

/** The prompt a line with this uuid holds. */
export function findPromptWithUuid(path: string, uuid: string, bytes = blockBytes): PromptLine | null {
  const mark = uuidMark(uuid)
  for (const line of linesBackwards(path, bytes)) {
    const said = line.indexOf(mark) === -1 ? null : parseSaid(line)
    if (said?.fields.uuid === uuid) return promptLineOf(said)
  }
  return null
}

/** Where a search begins: at a line, or at lines with an id. Of these a prompt is the answer; what decides is followed instead. */
type SearchStart = { readonly uuid: string } | { readonly promptId: string; readonly isDecidedBy: (text: string) => boolean }

function searchUp(path: string, start: SearchStart, bytes: number): PromptLine | typeof needsWhole | null {
  const wanted = 'uuid' in start ? null : Buffer.from(`"promptId":"${start.promptId}"`)
  /** The line above the one found last, once there is a line to go up from. */
  let above = 'uuid' in start ? aboveOf(start.uuid) : undefined
  let isDecided = wanted === null
  /** What the way up led to, unless a prompt with the id itself comes. */
  let reached: PromptLine | typeof needsWhole | null = null
  /** The nearest prompt in the file, for a file in which the way up is broken. */
  let nearest: PromptLine | null = null
  for (const line of linesBackwards(path, bytes)) {
    const isNext = reached === null && above !== undefined && isOnTheWay(line, above)
    const isWanted = !isDecided && wanted !== null && line.indexOf(wanted) !== -1
    const isNear = above !== undefined && nearest === null && line.indexOf(anyPrompt) !== -1
    if (!isNext && !isWanted && !isNear) continue
    const fields = parseLine(line)
    if (fields === null) continue
    const said = readSaid(fields)
    const prompt = said !== null && isPrompt(said.fields, said.text) ? promptLineOf(said) : null
    if (prompt !== null && isWanted) return prompt
    if (above !== undefined) nearest ??= prompt
    const decides = isWanted && said !== null && 'isDecidedBy' in start && start.isDecidedBy(said.text)
    if (decides || (isWanted && said !== null && above === undefined)) {
      isDecided = decides
      above = lineAbove(fields)
      reached = null
    } else if (isNext && fields.uuid === above?.uuid) {
      reached = prompt ?? (keepsMessages(fields) ? needsWhole : null)
      above = lineAbove(fields)
    }
    if (isDecided && reached !== null) return reached
  }
  return reached ?? nearest
}

interface Above {
  readonly uuid: string | null
  readonly mark: Buffer
}

function isOnTheWay(line: Buffer, { uuid, mark }: Above): boolean {
  return uuid !== null && line.indexOf(mark) !== -1
}

function aboveOf(uuid: string | null): Above {
  return { uuid, mark: uuidMark(uuid) }
}

function uuidMark(uuid: string | null): Buffer {
  return Buffer.from(`"uuid":"${uuid}"`)
}

/** A compaction breaks `parentUuid` and names what it stands behind. */
function lineAbove({ parentUuid, logicalParentUuid }: Fields): Above {
  const uuid = [parentUuid, logicalParentUuid].find((each) => typeof each === 'string') ?? null
  return aboveOf(uuid as string | null)
}

/** Then what it names as its parent is only where the summarised part begins or ends. */
function keepsMessages({ subtype, compactMetadata }: Fields): boolean {
  if (subtype !== 'compact_boundary' || !isObject(compactMetadata)) return false
  return isObject(compactMetadata.preservedSegment) || isObject(compactMetadata.preservedMessages)
}

function promptLineOf({ fields: { uuid, promptId } }: Said): PromptLine {
  return { uuid, promptId: typeof promptId === 'string' ? promptId : null }
}

function isOfCommand(text: string): boolean {
  return text.startsWith('<bash-')
}

/** The newest line of the conversation itself. */
function findNewestMessage(path: string, bytes: number): Fields | null {
  for (const line of linesBackwards(path, bytes)) {
    const fields = line.indexOf('"parentUuid":') === -1 ? null : parseLine(line)
    const { type, isSidechain } = fields ?? {}
    if (isSidechain !== true && (type === 'user' || type === 'assistant' || type === 'system')) return fields
  }
  return null
}

/** Whether such a line can be the newest while an answer ends. What stands there before the answer is written cannot. */
function isAnswering(fields: Fields): boolean {
  if (fields.type === 'assistant') return !(isObject(fields.message) && fields.message.model === '<synthetic>')
  if (fields.type !== 'user') return false
  const said = readSaid(fields)
  return said === null || isPrompt(said.fields, said.text) || isOfCommand(said.text)
}

export interface CommandLine {
  /** The turn it belongs to. */
  readonly turn: PromptLine | typeof needsWhole | null
  readonly writtenAt: number | null
}

/** The last `!` command behind the last turn. `untold`: only one that no Stop hook has followed, because nobody answered or the answer was interrupted. */
export function findLastCommand(path: string, untold: boolean, bytes = blockBytes): CommandLine | null {
  for (const line of linesBackwards(path, bytes)) {
    if (untold && line.indexOf(stopped) !== -1 && parseLine(line)?.subtype === 'stop_hook_summary') return null
    const said = line.indexOf('"type":"user"') === -1 ? null : parseSaid(line)
    if (said === null) continue
    if (isPrompt(said.fields, said.text)) return null
    if (!isUserCommand(said.text)) continue
    const { uuid, timestamp } = said.fields
    return { turn: searchUp(path, { uuid }, bytes), writtenAt: typeof timestamp === 'string' ? timeOf(timestamp) : null }
  }
  return null
}

const stopped = Buffer.from('"stop_hook_summary"')

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

type Fields = Readonly<Record<string, unknown>>

interface Said {
  readonly fields: Fields & { readonly uuid: string }
  readonly text: string
}

/** A user line that is not a tool result. */
function parseSaid(line: Buffer): Said | null {
  const fields = parseLine(line)
  return fields === null ? null : readSaid(fields)
}

function readSaid(fields: Fields): Said | null {
  if (fields.type !== 'user' || fields.isSidechain === true || typeof fields.uuid !== 'string') return null
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
