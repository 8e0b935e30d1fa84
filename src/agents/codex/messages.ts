// Turns response items into neutral messages. A call and its output are one message; what the model thought comes with the
// message it led to. Encrypted reasoning is not shown.
import { isObject } from '../../lib/jsonl.ts'
import type { Message, ToolCall } from '../../model/session.ts'
import { type CallEnd, failedBy } from './call-end.ts'
import { type Body, textOrNull } from './lines.ts'
import { textOf, typedWords, wordsOf } from './prompts.ts'
import { isSelfContained } from './record-types.ts'
import type { MadeMessage } from './turn-state.ts'

/** In the view `all` a message of the user's holds what was typed, in the view `context` what the model is sent. */
export function buildMessage(
  made: MadeMessage,
  turnId: string,
  payload: Body | undefined,
  thinking: string,
  view: 'all' | 'context',
): Message {
  const { id, role, at } = made
  const sent = made.text ?? (role === 'tool' ? '' : textOf(payload?.content))
  const text = role === 'user' && view === 'all' ? wordsIn(made, payload) : sent
  const folders = role === 'system' ? foldersIn(text) : []
  const message: Message = { id, turnId, role, text, at, ...(folders.length > 0 && { folders }) }
  const withTool = role === 'tool' && payload !== undefined ? { ...message, tool: buildCall(payload, id) } : message
  return thinking === '' ? withTool : { ...withTool, thinking }
}

/** `# AGENTS.md instructions for <folder>`, and `<cwd>` of an environment context; both can be parts of one message. */
function foldersIn(text: string): readonly string[] {
  const named = text.matchAll(/^# AGENTS\.md instructions for (.+)$|^<environment_context>\s*<cwd>(.+)<\/cwd>/gm)
  return [...named].flatMap(([, instructed, context]) => instructed ?? context ?? [])
}

function wordsIn({ text }: MadeMessage, payload: Body | undefined): string {
  return text === undefined ? wordsOf(payload ?? {}) : typedWords(text)
}

function buildCall(payload: Body, callId: string): ToolCall {
  const type = textOrNull(payload.type) ?? ''
  const name = textOrNull(payload.name) ?? type.replace(/_call$/, '')
  const args = payload.arguments ?? payload.input ?? payload.action ?? null
  const isText = type === 'custom_tool_call'
  const isWhole = isSelfContained(type)
  const output = isWhole ? '' : null
  // On other calls the status tells only that the model has written the call to its end.
  const failed = isWhole ? failedBy(payload.status) : null
  return { name, arguments: isText ? args : parseArguments(args), output, exitCode: null, failed, callId }
}

function parseArguments(value: unknown): unknown {
  if (typeof value !== 'string') return value
  try {
    return JSON.parse(value)
  } catch {
    return value // a model may write arguments that are no JSON: shown as they are
  }
}

/** How it ended from the record of its end where there is one, else from what the output says of itself. */
export function answerCall(tool: ToolCall, payload: Body | undefined, end: CallEnd | undefined): ToolCall {
  const given = payload?.output ?? payload?.tools
  const output = readOutput(given)
  const exitCode = end?.exitCode ?? output.exitCode
  return { ...tool, output: output.text, exitCode, failed: end?.failed ?? failedIn(given, output.text, exitCode) }
}

/** What Codex itself answers instead of the tool: refused, cut off, or never run. */
const notRun =
  /^(?:Wall time: .*\n)?(?:exec_command failed|exec command rejected by|patch rejected by|apply_patch verification failed|unsupported call: |aborted by user)/

function failedIn(given: unknown, text: string, exitCode: number | null): boolean | null {
  if (isObject(given) && typeof given.success === 'boolean') return !given.success
  if (exitCode !== null) return exitCode !== 0
  return notRun.test(text.slice(0, 400)) ? true : null
}

const exitPattern = /^(?:Chunk ID: .*\n)?(?:Wall time: .*\n)?(?:Process exited with code|Exit code:) (-?\d+)/

function readOutput(output: unknown): { text: string; exitCode: number | null } {
  if (isObject(output)) return { text: textOf(output.content ?? output.output), exitCode: null }
  if (Array.isArray(output) && output.some((part) => isObject(part) && part.name !== undefined)) {
    return { text: JSON.stringify(output), exitCode: null }
  }
  const text = textOf(output)
  return readWrapped(text) ?? { text, exitCode: numberOrNull(exitPattern.exec(text.slice(0, 400))?.[1]) }
}

/** CLIs before 0.50 wrapped a command's output as {"output", "metadata": {"exit_code"}}. */
function readWrapped(text: string): { text: string; exitCode: number | null } | undefined {
  if (!text.startsWith('{"output":')) return undefined
  const whole = parseArguments(text)
  if (!isObject(whole) || typeof whole.output !== 'string' || !isObject(whole.metadata)) return undefined
  return { text: whole.output, exitCode: numberOrNull(whole.metadata.exit_code) }
}

function numberOrNull(value: unknown): number | null {
  const number = typeof value === 'string' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : null
}

/** The readable part of a reasoning item. */
export function thinkingOf(payload: Body | undefined): string {
  const summary = textOf(payload?.summary)
  return summary === '' ? textOf(payload?.content) : summary
}
