// A Claude session as the hooks see it: payloads in the shape the CLI sends, and the transcript lines it writes meanwhile.
import { randomUUID } from 'node:crypto'
import { appendFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
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
  /** What is written next goes on from that line, or from the very beginning. */
  rewind(to?: string): void
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

export function hookedSession(projects: string, cwd: string, id: string = randomUUID()): HookedSession {
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
    rewind(to) {
      last = to ?? null
    },
    stop: () => ({
      ...common(),
      hook_event_name: 'Stop',
      prompt_id: promptId,
      stop_hook_active: false,
      last_assistant_message: 'done',
    }),
    end: () => ({ ...common(), hook_event_name: 'SessionEnd', prompt_id: promptId, reason: 'other' }),
  }
}
