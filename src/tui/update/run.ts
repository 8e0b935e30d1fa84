// A turn that runs in a tab: what has come in so far, in order, and the questions in it. Whole messages come from the agent's file
// in the end; until then what was streamed stands in for them.
import type { RunEvent, RunOutcome } from '../../model/run.ts'
import type { Message } from '../../model/session.ts'
import type { TuiState } from '../state.ts'
import type { Run, Tab } from '../state-tab.ts'
import { noteOf } from './cut-off.ts'
import { askLeave, dropQuestions, withoutQuestion } from './permission.ts'
import { changeTab, say } from './step.ts'
import { idle } from './tabs.ts'

/** A call's output is shown by its end. */
const keptOutput = 8000

export function beginRun(prompt: string, at: number, afterTurn: string | null): Run {
  return { ...idle, state: 'sending', prompt, afterTurn, startedAt: at }
}

/** What came in stays in sight until the file was read. */
export function endRun({ prompt, afterTurn, parts }: Run, outcome: RunOutcome, error: string | null): Run {
  return { ...idle, prompt, afterTurn, parts, outcome, error }
}

export function hearRun(state: TuiState, tabId: string, event: RunEvent): TuiState {
  const next = changeTab(state, tabId, (tab) => ({
    ...tab,
    run: updateRun(tab.run, event),
    unread: tab.unread || isNews(state, tab, event),
  }))
  if (event.kind === 'permission') return askLeave(next, tabId)
  if (event.kind === 'permission_resolved') return askLeave(dropQuestions(next, tabId, event.requestId), next.shown)
  if (event.kind === 'end') {
    // IN6: the one acknowledgement of a seed is over with its turn, however it ended.
    const cleared = changeTab(dropQuestions(next, tabId, null), tabId, (tab) => ({ ...tab, forkSeedId: null }))
    const tab = cleared.tabs.find(({ id }) => id === tabId)
    if (event.outcome !== 'failed' || tab === undefined) return cleared
    return say(cleared, event.error ?? 'The turn failed.', 'error', noteOf(tab.run, tab, state.plain).next)
  }
  return event.kind === 'notice' ? say(next, event.text) : next
}

function updateRun(run: Run, event: RunEvent): Run {
  switch (event.kind) {
    case 'started':
      return { ...run, state: run.state === 'interrupting' ? run.state : 'running' }
    case 'text':
      return { ...withText(run, (text) => text + event.delta), streaming: true }
    case 'thinking':
      return { ...run, thinking: run.thinking + event.delta }
    case 'message':
      return event.text === ''
        ? { ...run, streaming: false }
        : { ...withText(run, () => event.text), streaming: false, thinking: '' }
    case 'tool_call': {
      const tool = {
        name: event.tool,
        arguments: event.arguments,
        output: null,
        exitCode: null,
        failed: null,
        callId: event.callId,
      }
      return { ...run, streaming: false, thinking: '', parts: [...run.parts, part(run, 'tool', '', tool)] }
    }
    case 'tool_output':
      return withCall(run, event.callId, (tool) => ({ ...tool, output: ((tool.output ?? '') + event.delta).slice(-keptOutput) }))
    case 'tool_result': {
      const { exitCode, failed } = event
      return withCall(run, event.callId, (tool) => ({ ...tool, output: event.output.slice(-keptOutput), exitCode, failed }))
    }
    case 'permission':
      return { ...run, state: 'waiting', permissions: [...run.permissions, event.request] }
    case 'permission_resolved':
      return withoutQuestion(run, event.requestId)
    case 'end':
      return endRun(run, event.outcome, event.error)
    default:
      return run
  }
}

function part(run: Run, role: Message['role'], text: string, tool?: Message['tool']): Message {
  return { id: `run:${run.parts.length}`, turnId: '', role, text, at: null, ...(tool === undefined ? {} : { tool }) }
}

/** Text goes on in the part that still grows, else it begins one. */
function withText(run: Run, change: (text: string) => string): Run {
  const last = run.parts.at(-1)
  if (run.streaming && last !== undefined)
    return { ...run, parts: [...run.parts.slice(0, -1), { ...last, text: change(last.text) }] }
  return { ...run, parts: [...run.parts, part(run, 'assistant', change(''))] }
}

function withCall(run: Run, callId: string, change: (tool: NonNullable<Message['tool']>) => Message['tool']): Run {
  const parts = run.parts.map((each): Message => {
    const tool = each.tool?.callId === callId ? change(each.tool) : undefined
    return tool === undefined ? each : { ...each, tool }
  })
  return { ...run, parts }
}

/** The end of a turn one was not looking at; never that of a seed (IN6). */
function isNews(state: TuiState, tab: Tab, event: RunEvent): boolean {
  return event.kind === 'end' && tab.id !== state.shown && tab.forkSeedId === null
}
