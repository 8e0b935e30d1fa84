// A turn that runs in a tab: what has come in so far, and the questions in it. Whole messages come from the agent's file in the
// end; until then what is streamed stands in for them.
import type { RunEvent } from '../../model/run.ts'
import type { Run, RunningCall, Tab, TuiState } from '../state.ts'
import { changeTab, say } from './step.ts'
import { idle } from './tabs.ts'

/** A call's output is shown by its end. */
const keptOutput = 8000

export function beginRun(prompt: string, at: number): Run {
  return { ...idle, state: 'sending', prompt, startedAt: at }
}

export function hearRun(state: TuiState, tabId: string, event: RunEvent): TuiState {
  const next = changeTab(state, tabId, (tab) => ({
    ...tab,
    run: updateRun(tab.run, event),
    unread: tab.unread || isNews(state, tab, event),
  }))
  if (event.kind === 'permission') {
    return { ...next, overlays: [...next.overlays, { kind: 'permission', tabId, request: event.request, selected: 0 }] }
  }
  if (event.kind === 'permission_resolved') return dropQuestions(next, tabId, event.requestId)
  if (event.kind === 'end') {
    // IN6: the one acknowledgement of a seed is over with its turn, however it ended.
    const cleared = changeTab(dropQuestions(next, tabId, null), tabId, (tab) => ({ ...tab, forkSeedId: null }))
    return event.outcome === 'failed' ? say(cleared, event.error ?? 'The turn failed.', 'error') : cleared
  }
  return event.kind === 'notice' ? say(next, event.text) : next
}

function updateRun(run: Run, event: RunEvent): Run {
  switch (event.kind) {
    case 'started':
      return { ...run, state: run.state === 'interrupting' ? run.state : 'running' }
    case 'text':
      return { ...run, text: run.text + event.delta }
    case 'thinking':
      return { ...run, thinking: run.thinking + event.delta }
    case 'message':
      return { ...run, text: event.text, thinking: '' }
    case 'tool_call':
      return {
        ...run,
        text: '',
        calls: [...run.calls, { callId: event.callId, tool: event.tool, arguments: event.arguments, output: '' }],
      }
    case 'tool_output':
      return { ...run, calls: withOutput(run.calls, event.callId, (output) => (output + event.delta).slice(-keptOutput)) }
    case 'tool_result':
      return { ...run, calls: withOutput(run.calls, event.callId, () => event.output.slice(-keptOutput)) }
    case 'permission':
      return { ...run, state: 'waiting', permission: event.request }
    case 'permission_resolved':
      return run.permission?.id === event.requestId ? { ...run, state: 'running', permission: null } : run
    case 'end':
      return { ...idle, outcome: event.outcome, error: event.error }
    default:
      return run
  }
}

function withOutput(calls: readonly RunningCall[], callId: string, change: (output: string) => string): readonly RunningCall[] {
  return calls.map((call) => (call.callId === callId ? { ...call, output: change(call.output) } : call))
}

/** `requestId` null: all of the tab's. */
function dropQuestions(state: TuiState, tabId: string, requestId: string | null): TuiState {
  const isOver = (overlay: TuiState['overlays'][number]) =>
    overlay.kind === 'permission' && overlay.tabId === tabId && (requestId === null || overlay.request.id === requestId)
  return { ...state, overlays: state.overlays.filter((overlay) => !isOver(overlay)) }
}

/** The end of a turn one was not looking at; never that of a seed (IN6). */
function isNews(state: TuiState, tab: Tab, event: RunEvent): boolean {
  return event.kind === 'end' && tab.id !== state.shown && tab.forkSeedId === null
}
