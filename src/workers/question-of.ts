// What an agent in a pane asks for: that it asks is known from its records and its screen, for which tool call from its session's
// file, where the call stands before it is allowed (both agents). It is answered in the pane, not from here.
import type { PermissionRequest } from '../model/run.ts'
import type { ToolCall } from '../model/session.ts'
import { runsOf, type WorkerContext } from './context.ts'
import type { PaneSight } from './pane.ts'
import { openTranscript } from './transcript.ts'

/** `null`: it asks for nothing. */
export async function questionOf(context: WorkerContext, sight: PaneSight): Promise<PermissionRequest | null> {
  const { record, look } = sight
  if (look === null || (look.state !== 'waiting' && look.state !== 'dialog')) return null
  const shown = look.question ?? 'It waits for an answer in its pane.'
  const asked = { id: `pane-${record.id}`, tool: '', summary: shown, arguments: null, callId: null, canRemember: false }
  if (look.state === 'dialog') return { ...asked, kind: 'question' }
  const { pane: driver } = await runsOf(context, record)
  const calls = (await openCalls(context, sight)).map((call) => ({ call, ...driver.describeCall(call.name, call.arguments) }))
  // Of several that wait for their result the one on the screen is meant; a subagent's stands in a file of its own.
  const found = calls.find(({ summary }) => isOn(shown, summary)) ?? (calls.length === 1 ? calls[0] : undefined)
  if (found === undefined) return { ...asked, kind: 'tool' }
  const { call, kind, summary } = found
  return { ...asked, kind, tool: call.name, summary, arguments: call.arguments, callId: call.callId }
}

async function openCalls(context: WorkerContext, { record }: PaneSight): Promise<readonly ToolCall[]> {
  if (record.sessionId === null) return []
  const transcript = await openTranscript(context, record.agent, record.sessionId)
  const turn = await transcript.lastTurn()
  return turn === null ? [] : transcript.openCalls(turn)
}

/** A screen breaks lines where it must, and shows the beginning at least. */
function isOn(shown: string, summary: string): boolean {
  const plain = (text: string) => text.replace(/\s+/g, '')
  return plain(shown).includes(plain(summary).slice(0, 40))
}
