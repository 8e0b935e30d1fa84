// Follows a session's own file while a worker answers: which turn it is in, what was said, how it ended. The screen is never
// read for this: both agents draw on an alternate screen that keeps nothing.
import { statSync } from 'node:fs'
import type { SessionFile } from '../agents/agent.ts'
import { agentOf } from '../agents/agent-of.ts'
import { readStretch } from '../agents/read-stretch.ts'
import type { SessionSummary } from '../agents/reading.ts'
import type { RunEvent } from '../model/run.ts'
import type { AgentId, Message, Turn } from '../model/session.ts'
import type { WorkerRecord } from '../store/workers.ts'
import { type Begin, findSessionFile, type WorkerContext } from './context.ts'
import { recordedError } from './last-outcome.ts'

export interface Transcript {
  /** The last turn of the live branch; `null` before the first. */
  lastTurn(): Promise<Turn | null>
  /** The last turn, if it began after this was opened. */
  newTurn(): Promise<Turn | null>
  /** All that were not known when this was opened, in order. */
  newTurns(): Promise<readonly Turn[]>
  /** What was said in a turn since this was asked last, as the events of a run. */
  news(turn: Turn): Promise<readonly RunEvent[]>
  /** The last thing the assistant said in it. */
  answer(turn: Turn): Promise<string | null>
  /** The last error that was recorded in it: what the API said. */
  error(turn: Turn): Promise<string | null>
}

/** The session that the agent is going to fork for this worker. */
export function sourceOf({ begin }: Pick<WorkerRecord, 'begin'>): string | undefined {
  const wanted = begin as Begin | null
  return wanted?.kind === 'fork' ? wanted.sourceId : undefined
}

export interface TranscriptOptions {
  /** A fork whose file is not made yet will begin with the turns of this session, which are none of its own. */
  readonly sourceId?: string | undefined
  /** Which of the turns that are there already are not new. Default: all. */
  readonly isKnown?: (turn: Turn) => boolean
}

export async function openTranscript(
  context: WorkerContext,
  agentId: AgentId,
  sessionId: string,
  { sourceId, isKnown = () => true }: TranscriptOptions = {},
): Promise<Transcript> {
  const agent = agentOf(context, agentId)
  let file: SessionFile | null = null
  let summary: SessionSummary | null = null
  let readBytes = -1
  let last: { readonly turnId: string; readonly bytes: number; readonly messages: readonly Message[] } | null = null
  /** Ids of messages that were told, and of calls whose result was. */
  const told = new Set<string>()

  async function read(): Promise<SessionSummary | null> {
    file =
      file === null ? findSessionFile(context, agentId, sessionId) : (again(file) ?? findSessionFile(context, agentId, sessionId))
    if (file === null) return null
    if (summary !== null && readBytes === file.bytes) return summary
    readBytes = file.bytes
    summary = await agent.summarise(file, context.env, summary ?? undefined)
    return summary
  }

  /** Of a long session only the part that holds the turn is read, and that only when something was written since. */
  async function messagesOf(turn: Turn): Promise<readonly Message[]> {
    const known = await read()
    const at = known?.turns.findIndex(({ id }) => id === turn.id) ?? -1
    if (file === null || known === null || at === -1) return []
    if (last?.turnId === turn.id && last.bytes === readBytes) return last.messages
    const { entries } = await readStretch(agent, file, context.env, { known: known.turns.slice(at) })
    const messages = entries.flatMap((entry) =>
      entry.kind === 'message' && entry.message.turnId === turn.id ? [entry.message] : [],
    )
    last = { turnId: turn.id, bytes: readBytes, messages }
    return messages
  }

  const lastTurn = async () => (await read())?.turns.at(-1) ?? null
  const known = new Set((await read())?.turns.filter(isKnown).map(({ id }) => id))
  const source = sourceId === undefined ? null : findSessionFile(context, agentId, sourceId)
  if (source !== null) for (const { id } of (await agent.summarise(source, context.env)).turns) known.add(id)
  return {
    lastTurn,
    async newTurn() {
      const last = await lastTurn()
      return last === null || known.has(last.id) ? null : last
    },
    newTurns: async () => ((await read())?.turns ?? []).filter(({ id }) => !known.has(id)),
    async news(turn) {
      const events: RunEvent[] = []
      for (const message of await messagesOf(turn)) {
        if (!told.has(message.id)) events.push(...firstSight(message))
        told.add(message.id)
        const { tool } = message
        if (tool === undefined || tool.output === null || told.has(`${message.id} result`)) continue
        told.add(`${message.id} result`)
        const { callId, output, exitCode, failed } = tool
        events.push({ kind: 'tool_result', callId, output, exitCode, failed: failed === true })
      }
      return events
    },
    async answer(turn) {
      const said = (await messagesOf(turn)).filter(({ role, text }) => role === 'assistant' && text.trim() !== '')
      return said.at(-1)?.text ?? null
    },
    error: async (turn) => recordedError(await messagesOf(turn)),
  }
}

function firstSight({ id, role, text, tool }: Message): RunEvent[] {
  if (tool !== undefined) return [{ kind: 'tool_call', callId: tool.callId, tool: tool.name, arguments: tool.arguments }]
  return role === 'assistant' && text !== '' ? [{ kind: 'message', messageId: id, text }] : []
}

/** The same file as it is now; `null` when it is gone or another one. */
function again(file: SessionFile): SessionFile | null {
  const now = statSync(file.path, { throwIfNoEntry: false })
  if (now === undefined || now.ino !== file.inode) return null
  return { ...file, bytes: now.size, modifiedAt: now.mtimeMs }
}
