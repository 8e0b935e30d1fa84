// What the stand-in model says: a pure function of the request. Directives in the newest prompt make it call tools, think,
// fail or wait, so a scenario is written as plain prompts.
import { isObject } from '../../../src/lib/jsonl.ts'

/** One item of a Responses API `input` or `output`, as the CLI sends or expects it. */
export type WireItem = Readonly<Record<string, unknown>>

export interface Answer {
  readonly items: readonly WireItem[]
  /** HTTP status of a refusal, instead of any items. */
  readonly failStatus?: number
  /** `hang`: open the stream, never end it. `hold`: send the first half, the rest after `release()`. */
  readonly wait?: 'hang' | 'hold'
}

/** The prompt both versions send to have their history summarised (neither calls /responses/compact on a custom provider). */
const compactionPrompt = 'CONTEXT CHECKPOINT COMPACTION'

/**
 * Directives, any number in one prompt; several tool directives become parallel calls of one response:
 * `[[shell: CMD]]`, `[[patch: FILE|TEXT]]`, `[[edit: FILE|OLD|NEW]]`, `[[agent: TASK]]`, `[[reason]]`, `[[fail: STATUS]]`, `[[hang]]`, `[[hold]]`.
 */
export function answerTo(body: WireItem, serial: number): Answer {
  const input = Array.isArray(body.input) ? body.input.filter(isObject) : []
  const promptAt = input.findLastIndex((item) => item.role === 'user' && !isInjected(textOf(item)))
  const prompt = promptAt === -1 ? '' : textOf(input[promptAt] ?? {})
  const say = (text: string): WireItem => ({
    type: 'message',
    id: `msg_${serial}`,
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text, annotations: [] }],
  })
  if (prompt.includes(compactionPrompt)) return { items: [say(`Summary ${serial}: ${input.length} items were said so far.`)] }

  const failed = /\[\[fail: (\d+)\]\]/.exec(prompt)
  if (failed) return { items: [], failStatus: Number(failed[1]) }
  const answered = input.slice(promptAt + 1).some((item) => String(item.type).endsWith('_output'))
  const calls = answered ? [] : toolCalls(prompt, toolsOf(body), serial)
  const thoughts: WireItem[] =
    prompt.includes('[[reason]]') && !answered
      ? [
          {
            type: 'reasoning',
            id: `rs_${serial}`,
            summary: [{ type: 'summary_text', text: `Thought ${serial}` }],
            encrypted_content: `sealed-${serial}`,
          },
        ]
      : []
  const said = calls.length > 0 ? [] : [say(`Answer ${serial} to: ${prompt.slice(0, 60)}`)]
  const wait = prompt.includes('[[hang]]') ? 'hang' : prompt.includes('[[hold]]') && !answered ? 'hold' : undefined
  return { items: [...thoughts, ...calls, ...said], ...(wait && { wait }) }
}

/** Text the harness of the CLI puts under the user's role; never a prompt. Stop-hook continuations count as prompts here. */
function isInjected(text: string): boolean {
  return /^(# AGENTS\.md|<environment_context>|<turn_aborted>|<user_shell_command>|<user_instructions>|<subagent_notification>)/.test(
    text,
  )
}

export function textOf(item: WireItem): string {
  const { content } = item
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content
    .filter(isObject)
    .map((part) => (typeof part.text === 'string' ? part.text : ''))
    .join('')
}

interface Tool {
  readonly name: string
  readonly type: string
}

function toolsOf(body: WireItem): readonly Tool[] {
  const tools = Array.isArray(body.tools) ? body.tools.filter(isObject) : []
  return tools.map((tool) => ({ name: String(tool.name ?? tool.type), type: String(tool.type) }))
}

function toolCalls(prompt: string, tools: readonly Tool[], serial: number): WireItem[] {
  const directives = [...prompt.matchAll(/\[\[(shell|patch|edit|agent): ([\s\S]+?)\]\]/g)]
  return directives.map(([, kind = '', value = ''], index) => {
    const id = `${serial}_${index + 1}`
    if (kind === 'patch' || kind === 'edit') return patchCall(kind, value, id)
    if (kind === 'agent') return functionCall('spawn_agent', { message: value }, id)
    const shell = tools.find((tool) => tool.name === 'exec_command' || tool.name === 'shell_command')
    return shell?.name === 'shell_command'
      ? functionCall('shell_command', { command: value }, id)
      : functionCall('exec_command', { cmd: value }, id)
  })
}

function functionCall(name: string, args: WireItem, id: string): WireItem {
  return { type: 'function_call', id: `fc_${id}`, call_id: `call_${id}`, name, arguments: JSON.stringify(args) }
}

function patchCall(kind: 'patch' | 'edit', value: string, id: string): WireItem {
  const [file, first, second] = value.split('|')
  const change = kind === 'patch' ? `*** Add File: ${file}\n+${first}` : `*** Update File: ${file}\n@@\n-${first}\n+${second}`
  const input = `*** Begin Patch\n${change}\n*** End Patch\n`
  return { type: 'custom_tool_call', id: `ctc_${id}`, call_id: `call_${id}`, name: 'apply_patch', status: 'completed', input }
}
