// A Claude session as the hooks see it: payloads in the shape the CLI sends, and the transcript lines it writes meanwhile.
import { randomUUID } from 'node:crypto'
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentId } from '../../src/model/session.ts'

export type Payload = Readonly<Record<string, unknown>>

export interface HookedSession {
  readonly agent: AgentId
  readonly id: string
  readonly path: string
  /** A prompt is submitted: the payload, and a new prompt id from here on. */
  prompt(text: string): Payload
  /** The prompt's line as Claude writes it, a moment after the hook; gives the turn's id. */
  writePrompt(at?: number): string
  writeAnswer(text?: string, at?: number): void
  /** A tool call and its result, as Claude writes them: `Write` makes the file, any other tool does nothing. */
  writeCall(name: string, input: Payload): void
  /** The agent and its hooks are in another folder from here on. */
  move(folder: string): void
  /** What is written next goes on from that line, or from the very beginning. */
  rewind(to?: string): void
  /**
   * A `!` command: its two lines under a prompt id of their own, as 2.1.325 writes them; 2.1.197 gives them that of the last prompt (`same`), and
   * after a resume none. No hook hears of it before its answer stops.
   */
  writeCommand(command: string, id?: 'own' | 'same' | 'none'): void
  /** "Summarize from here": the lines behind that one are summarised, those above it kept. */
  writeSummary(from: string): void
  /** The line behind a turn whose Stop hooks have run; gives its id. */
  writeStopped(): string
  stop(): Payload
  end(): Payload
}

/** One whole turn: the hooks are told, the transcript is written, and `work` is what the agent did. Gives the turn's id. */
export async function playTurn(
  tell: (payload: Payload) => Promise<unknown>,
  session: HookedSession,
  prompt: string,
  work: () => void,
): Promise<string> {
  await tell(session.prompt(prompt))
  const id = session.writePrompt()
  work()
  session.writeAnswer()
  await tell(session.stop())
  return id
}

export function hookedSession(projects: string, startedIn: string, id: string = randomUUID()): HookedSession {
  let cwd = startedIn
  const folder = join(projects, cwd.replaceAll(/[^a-zA-Z0-9]/g, '-'))
  const path = join(folder, `${id}.jsonl`)
  let promptId = ''
  let text = ''
  let last: string | null = null
  const common = () => ({ session_id: id, transcript_path: path, cwd })
  const write = (line: Payload, at = Date.now()): string => {
    if (!existsSync(folder)) mkdirSync(folder, { recursive: true })
    const uuid = randomUUID()
    const base = { isSidechain: false, userType: 'external', cwd, sessionId: id, version: '2.1.325', gitBranch: 'main' }
    appendFileSync(
      path,
      `${JSON.stringify({ ...base, parentUuid: last, uuid, timestamp: new Date(at).toISOString(), ...line })}\n`,
    )
    last = uuid
    return uuid
  }
  return {
    agent: 'claude',
    id,
    path,
    prompt(given) {
      promptId = randomUUID()
      text = given
      return { ...common(), hook_event_name: 'UserPromptSubmit', prompt_id: promptId, permission_mode: 'default', prompt: text }
    },
    writePrompt: (at) => write({ type: 'user', message: { role: 'user', content: text }, promptId }, at),
    writeAnswer(answer = 'done', at = Date.now()) {
      const content = [{ type: 'text', text: answer }]
      const usage = { input_tokens: 1, output_tokens: 1 }
      const message = {
        id: `msg_${randomUUID()}`,
        type: 'message',
        role: 'assistant',
        model: 'm',
        content,
        stop_reason: 'end_turn',
        usage,
      }
      write({ type: 'assistant', message }, at)
    },
    writeCall(name, input) {
      const callId = `toolu_${randomUUID()}`
      const message = { id: `msg_${randomUUID()}`, type: 'message', role: 'assistant', model: 'm', stop_reason: 'tool_use' }
      const usage = { input_tokens: 1, output_tokens: 1 }
      write({ type: 'assistant', message: { ...message, content: [{ type: 'tool_use', id: callId, name, input }], usage } })
      const { file_path: filePath, content } = input
      if (name === 'Write') writeFileSync(String(filePath), String(content))
      const done = { role: 'user', content: [{ type: 'tool_result', tool_use_id: callId, content: 'done' }] }
      const toolUseResult = name === 'Write' ? { type: 'create', filePath, content, originalFile: null } : { stdout: '' }
      write({ type: 'user', message: done, toolUseResult })
    },
    move(to) {
      cwd = to
    },
    rewind(to) {
      last = to ?? null
    },
    writeCommand(command, name = 'own') {
      if (name !== 'same') promptId = name === 'own' ? randomUUID() : ''
      const own = promptId === '' ? {} : { promptId }
      write({ type: 'user', message: { role: 'user', content: `<bash-input>${command}</bash-input>` }, ...own })
      const output = '<bash-stdout></bash-stdout><bash-stderr></bash-stderr>'
      write({ type: 'user', message: { role: 'user', content: output }, ...own })
    },
    writeSummary(from) {
      const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
      const uuids = lines.map((line) => (JSON.parse(line) as { uuid: string }).uuid)
      const kept = uuids.slice(0, uuids.indexOf(from) + 1)
      last = null
      const uuid = randomUUID()
      const preservedSegment = { headUuid: kept[0], anchorUuid: uuid, tailUuid: from }
      const compactMetadata = {
        ...{ trigger: 'manual', preTokens: 1, messagesSummarized: uuids.length - kept.length },
        ...{ preservedSegment, preservedMessages: { anchorUuid: uuid, uuids: kept } },
      }
      write({ type: 'system', subtype: 'compact_boundary', uuid, logicalParentUuid: from, compactMetadata })
      last = uuid
      const content = 'This session is being continued from a previous conversation that ran out of context.'
      write({ type: 'user', message: { role: 'user', content }, promptId, isCompactSummary: true })
    },
    writeStopped: () => write({ type: 'system', subtype: 'stop_hook_summary', hookCount: 1 }),
    stop: () => ({
      ...common(),
      hook_event_name: 'Stop',
      ...(promptId === '' ? {} : { prompt_id: promptId }),
      stop_hook_active: false,
      last_assistant_message: 'done',
    }),
    end: () => ({ ...common(), hook_event_name: 'SessionEnd', prompt_id: promptId, reason: 'other' }),
  }
}
