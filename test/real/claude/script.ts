// What the stand-in model says: plain text, unless the last prompt carries directives. Pure, so the same request always gets the
// same answer.
//   [[write:PATH:TEXT]] [[edit:PATH:OLD:NEW]] [[read:PATH]] [[bash:COMMAND]]   one tool call each
//   [[ask:QUESTION:A|B|...]]   a question to the person (`choose` for `ask`: several may be chosen)   [[mcp:TOOL:JSON]]   a tool of an MCP server
//   [[background:COMMAND]]   a command that is not waited for
//   [[parallel:COMMAND|COMMAND|...]]   several Bash calls in one message
//   [[task:PROMPT]]   a subagent; <<...>> in it is a directive to the subagent
//   Several of these in one prompt are called one after the other, a message each.
//   [[think]]   thinking before the answer    [[slow:MS]]   a late answer
//   [[hang]]    no answer at all              [[stall]]     the answer begins and never ends
//   [[hold]]    the answer begins and goes on once the test releases it
//   [[error:STATUS]]   an HTTP error
//   [[disobey:FOLDER]]   in a seed: calls every tool there is, offered or not
import { createHash } from 'node:crypto'
import { claudeCalls, disobeys } from '../lib/disobedience.ts'
import { answerToSeed, isSeed } from '../lib/seed-rules.ts'
import { type ApiRequest, lastPrompt } from './messages-api.ts'

export interface PlannedCall {
  readonly name: string
  readonly input: Readonly<Record<string, unknown>>
}

export interface Answer {
  /** `summary`: the request asks to summarise the conversation for a compaction. `side`: a helper request without tools. */
  readonly kind: 'turn' | 'summary' | 'side'
  readonly text: string
  readonly thinking: boolean
  readonly calls: readonly PlannedCall[]
  readonly delayMs: number
  readonly hold: 'never' | 'before' | 'midway' | 'until released'
  readonly errorStatus: number | null
}

export const summaryText = 'SUMMARY: the conversation so far, in one line.'

export function planAnswer(request: ApiRequest): Answer {
  const { text: prompt, rounds } = lastPrompt(request.messages)
  const offered = new Set((request.tools ?? []).map((tool) => tool.name))
  const plain = { thinking: false, calls: [], delayMs: 0, hold: 'never', errorStatus: null } as const
  if (/Your task is to create a detailed summary/.test(prompt)) {
    const text = `<analysis>\nread it all\n</analysis>\n<summary>\n${summaryOf(request.messages)}\n</summary>`
    return { ...plain, kind: 'summary', text }
  }
  const marks = isSeed(prompt) ? disobeys(prompt) : null
  if (marks !== null && rounds === 0) return { ...plain, kind: 'turn', text: 'No.', calls: claudeCalls(marks) }
  if (isSeed(prompt)) return { ...plain, kind: 'turn', text: answerToSeed(prompt) }
  if (offered.size === 0) return { ...plain, kind: 'side', text: '{"title": "A title from the stand-in"}' }
  const step = [...prompt.matchAll(/\[\[(write|edit|read|bash|parallel|task|ask|choose|mcp|background):([\s\S]*?)\]\]/g)][rounds]
  const calls = step === undefined ? [] : planCalls(step[1] ?? '', step[2] ?? '', offered)
  const last = calls.length === 0
  return {
    kind: 'turn',
    text: last ? `Answer to: ${prompt.slice(0, 200)}` : `Calling ${calls.map((call) => call.name).join(', ')}`,
    thinking: prompt.includes('[[think]]'),
    calls,
    delayMs: last ? Number(/\[\[slow:(\d+)\]\]/.exec(prompt)?.[1] ?? 0) : 0,
    hold: last ? holdOf(prompt) : 'never',
    errorStatus: last ? Number(/\[\[error:(\d+)\]\]/.exec(prompt)?.[1] ?? 0) || null : null,
  }
}

function holdOf(prompt: string): Answer['hold'] {
  if (prompt.includes('[[hang]]')) return 'before'
  if (prompt.includes('[[stall]]')) return 'midway'
  return prompt.includes('[[hold]]') ? 'until released' : 'never'
}

/** What a request for a summary is answered with: other words for each conversation. */
export function summaryOf(messages: ApiRequest['messages']): string {
  return `${summaryText} ${createHash('sha256').update(JSON.stringify(messages)).digest('hex').slice(0, 8)}`
}

function planCalls(verb: string, rest: string, offered: ReadonlySet<string>): PlannedCall[] {
  const [path = '', second = '', third = ''] = rest.split(':')
  const bash = (command: string): PlannedCall => ({ name: 'Bash', input: { command, description: 'A command of the stand-in' } })
  switch (verb) {
    case 'write':
      return [{ name: 'Write', input: { file_path: path, content: rest.slice(path.length + 1) } }]
    case 'edit':
      return [{ name: 'Edit', input: { file_path: path, old_string: second, new_string: third } }]
    case 'read':
      return [{ name: 'Read', input: { file_path: rest } }]
    case 'background':
      return [{ name: 'Bash', input: { command: rest, description: 'A command in the background', run_in_background: true } }]
    case 'ask':
    case 'choose': {
      const options = second.split('|').map((label) => ({ label, description: `It is ${label}` }))
      const question = { question: path, header: 'Choose', options, multiSelect: verb === 'choose' }
      return [{ name: 'AskUserQuestion', input: { questions: [question] } }]
    }
    case 'mcp':
      return [{ name: path, input: JSON.parse(rest.slice(path.length + 1)) as PlannedCall['input'] }]
    case 'parallel':
      return rest.split('|').map(bash)
    case 'task':
      return [
        {
          name: offered.has('Agent') ? 'Agent' : 'Task',
          input: {
            description: 'A small task',
            prompt: rest.replaceAll('<<', '[[').replaceAll('>>', ']]'),
            subagent_type: 'general-purpose',
          },
        },
      ]
    default:
      return [bash(rest)]
  }
}
