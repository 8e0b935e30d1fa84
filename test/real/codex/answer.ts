// What the stand-in model says: a pure function of the request. Directives in the newest prompt make it call tools, think,
// fail or wait, so a scenario is written as plain prompts.
import { isObject } from '../../../src/lib/jsonl.ts'
import { codexCalls, disobeys } from '../lib/disobedience.ts'
import { answerToSeed, isSeed } from '../lib/seed-rules.ts'

/** One item of a Responses API `input` or `output`, as the CLI sends or expects it. */
export type WireItem = Readonly<Record<string, unknown>>

export interface Answer {
  readonly items: readonly WireItem[]
  /** HTTP status of a refusal, instead of any items. */
  readonly failStatus?: number
  /** `hang`: open the stream, never end it. `hold`: send the first half, the rest after `release()`. */
  readonly wait?: 'hang' | 'hold'
}

/** How both versions ask for a summary of their history; neither calls /responses/compact on a custom provider. */
const compactionPrompt = 'CONTEXT CHECKPOINT COMPACTION'

export function isCompaction(input: readonly WireItem[]): boolean {
  return textOf(input.findLast((item) => item.role === 'user') ?? {}).includes(compactionPrompt)
}

/**
 * Directives, any number in one prompt; several tool directives become parallel calls of one response:
 * `[[shell: CMD]]`, `[[patch: FILE|TEXT]]`, `[[edit: FILE|OLD|NEW]]`, `[[tools: QUERY]]` (tool search),
 * `[[agent: TASK]]` (a subagent, then waiting for it; directives for it in round brackets), `[[heir: TASK]]` (one that starts with our history),
 * `[[wait: CMD]]` (a command that may take half a minute), `[[ask: CMD]]` (a command outside the sandbox, for which the model asks leave), `[[mcp: SERVER/TOOL|JSON]]`,
 * `[[reason]]`, `[[disobey:FOLDER]]` (in a seed: calls every tool there is, offered or not), and for the answer itself, after the tools: `[[fail: STATUS]]`, `[[hang]]` and `[[hold]]`.
 */
export function answerTo(body: WireItem, serial: number): Answer {
  const input = Array.isArray(body.input) ? body.input.filter(isObject) : []
  const promptAt = input.findLastIndex((item) => item.role === 'user' && !isInjected(textOf(item)))
  const prompt = promptAt === -1 ? '' : textOf(input[promptAt] ?? {})
  if (isCompaction(input)) return { items: [say(`Summary ${serial} of ${input.length} items.`, serial)] }

  const outputs = input.slice(promptAt + 1).filter((item) => String(item.type).endsWith('_output'))
  const marks = isSeed(prompt) ? disobeys(prompt) : null
  if (marks !== null && outputs.length === 0) return { items: codexCalls(marks, serial) }
  if (isSeed(prompt)) return { items: [say(answerToSeed(prompt), serial)] }
  const calls = outputs.length === 0 ? toolCalls(prompt, serial).map(forOffered(body)) : waitForAgents(outputs, serial)
  if (calls.length > 0) return { items: [...thoughts(prompt, serial), ...calls] }
  const failed = /\[\[fail: (\d+)\]\]/.exec(prompt)
  if (failed) return { items: [], failStatus: Number(failed[1]) }

  const items = [
    ...(outputs.length === 0 ? thoughts(prompt, serial) : []),
    say(`Answer ${serial} to: ${prompt.slice(0, 60)}`, serial),
  ]
  const wait = prompt.includes('[[hang]]') ? 'hang' : prompt.includes('[[hold]]') ? 'hold' : undefined
  return { items, ...(wait && { wait }) }
}

/** Requests for a title of the thread (the TUI of 0.166) quote the prompt, directives and all. */
export const titleAnswer = (serial: number): Answer => ({ items: [say('A title', serial)] })

/** Text the CLI itself puts under the user's role; never a prompt. */
function isInjected(text: string): boolean {
  return /^(# AGENTS\.md|<(environment_context|turn_aborted|user_shell_command|subagent_notification)>)/.test(text)
}

function textOf(item: WireItem): string {
  const { content } = item
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.map((part) => (isObject(part) && typeof part.text === 'string' ? part.text : '')).join('')
}

function say(text: string, serial: number): WireItem {
  const content = [{ type: 'output_text', text, annotations: [] }]
  return { type: 'message', id: `msg_${serial}`, role: 'assistant', status: 'completed', content }
}

function thoughts(prompt: string, serial: number): WireItem[] {
  if (!prompt.includes('[[reason]]')) return []
  const summary = [{ type: 'summary_text', text: `Thought ${serial}` }]
  return [{ type: 'reasoning', id: `rs_${serial}`, summary, encrypted_content: `sealed-${serial}` }]
}

function toolCalls(prompt: string, serial: number): WireItem[] {
  const directives = [...prompt.matchAll(/\[\[(shell|wait|patch|edit|tools|agent|heir|ask|mcp): ([\s\S]+?)\]\]/g)]
  return directives.map(([, kind = '', value = ''], index) => toolCall(kind, value, `${serial}_${index + 1}`))
}

function toolCall(kind: string, value: string, id: string): WireItem {
  const [first, second, third] = value.split('|')
  switch (kind) {
    case 'patch':
      return patchCall(`*** Add File: ${first}\n+${second}`, id)
    case 'edit':
      return patchCall(`*** Update File: ${first}\n@@\n-${second}\n+${third}`, id)
    case 'tools': {
      const search = { type: 'tool_search_call', execution: 'client', status: 'completed', arguments: { query: value } }
      return { ...search, id: `tsc_${id}`, call_id: `call_${id}` }
    }
    case 'agent':
      return agentCall('spawn_agent', { message: value.replaceAll('((', '[[').replaceAll('))', ']]') }, id)
    case 'heir':
      return agentCall('spawn_agent', { message: value, fork_context: true }, id)
    case 'wait':
      return functionCall('exec_command', { cmd: value, yield_time_ms: 30_000 }, id)
    case 'ask': {
      const leave = { sandbox_permissions: 'require_escalated', justification: 'It has to be done.' }
      return functionCall('exec_command', { cmd: value, ...leave }, id)
    }
    case 'mcp': {
      const [server = '', tool = ''] = (first ?? '').split('/')
      const call = functionCall(tool, {}, id)
      return { ...call, namespace: `mcp__${server}`, arguments: value.slice((first ?? '').length + 1) || '{}' }
    }
    default:
      return functionCall('exec_command', { cmd: value }, id)
  }
}

/** Versions before 0.9x run commands by other tools than `exec_command`: the call is made with the one that was offered. */
function forOffered({ tools }: WireItem): (call: WireItem) => WireItem {
  const offered = new Set(Array.isArray(tools) ? tools.filter(isObject).map(({ name, type }) => name ?? type) : [])
  return (call) => {
    const { cmd } = call.name === 'exec_command' ? (JSON.parse(String(call.arguments)) as { cmd: string }) : {}
    if (cmd === undefined || offered.has('exec_command')) return call
    if (offered.has('shell_command')) return { ...call, name: 'shell_command', arguments: JSON.stringify({ command: cmd }) }
    if (!offered.has('shell')) return call
    return { ...call, name: 'shell', arguments: JSON.stringify({ command: ['bash', '-lc', cmd] }) }
  }
}

function functionCall(name: string, args: WireItem, id: string): WireItem {
  return { type: 'function_call', id: `fc_${id}`, call_id: `call_${id}`, name, arguments: JSON.stringify(args) }
}

function patchCall(change: string, id: string): WireItem {
  const input = `*** Begin Patch\n${change}\n*** End Patch\n`
  return { type: 'custom_tool_call', id: `ctc_${id}`, call_id: `call_${id}`, name: 'apply_patch', status: 'completed', input }
}

/** The tools for subagents are deferred: not in the request, but callable by their namespace. */
function agentCall(name: string, args: WireItem, id: string): WireItem {
  return { ...functionCall(name, args, id), namespace: 'multi_agent_v1' }
}

/** After a `spawn_agent`, and only then: its output names the agent to wait for. */
function waitForAgents(outputs: readonly WireItem[], serial: number): WireItem[] {
  const targets = outputs.flatMap(({ output }) => /"agent_id":"([^"]+)"/.exec(String(output))?.slice(1) ?? [])
  const waited = outputs.some(({ output }) => String(output).includes('"status"'))
  return targets.length > 0 && !waited ? [agentCall('wait_agent', { targets }, `${serial}_1`)] : []
}
