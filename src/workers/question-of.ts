// What an agent in a pane asks for: that it asks is known from its records and its screen, for which tool call from its session's
// file, where the call stands before it is allowed (both agents). It is answered in the pane, not from here.
import { AppError } from '../model/error.ts'
import type { PermissionRequest } from '../model/run.ts'
import type { ToolCall } from '../model/session.ts'
import { runsOf, type WorkerContext } from './context.ts'
import type { PaneSight } from './pane.ts'

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

/** By the catalogue, which knows where in a long file the last turn is. */
async function openCalls(context: WorkerContext, { record }: PaneSight): Promise<readonly ToolCall[]> {
  try {
    const { session } = await context.catalog.resolve(`${record.agent}:${record.sessionId}`)
    const { messages } = await context.catalog.readTurns(session, { last: 1 })
    return messages.flatMap(({ tool }) => (tool === undefined || tool.output !== null ? [] : [tool]))
  } catch (error) {
    if (error instanceof AppError) return [] // no session is known yet, or its file cannot be read: the screen has to do
    throw error
  }
}

/** A screen breaks lines where it must, and shows the beginning at least. */
function isOn(shown: string, summary: string): boolean {
  const plain = (text: string) => text.replace(/\s+/g, '')
  return plain(shown).includes(plain(summary).slice(0, 40))
}
