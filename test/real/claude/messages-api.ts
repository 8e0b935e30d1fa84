// The part of the Messages API that Claude Code speaks, as types, with the few questions the harness asks of a request.

export type Block =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly thinking: string; readonly signature: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly input: unknown }
  | {
      readonly type: 'tool_result'
      readonly tool_use_id: string
      readonly content?: string | readonly Block[]
      readonly is_error?: boolean
    }
  /** 2.1.325 says in the conversation from where on there is a tool that was not there before. */
  | { readonly type: 'tool_addition'; readonly tool: { readonly name: string } }

export interface ApiMessage {
  /** Claude Code sends entries of role `system` inside `messages` too (2.1.197 and 2.1.325). */
  readonly role: 'user' | 'assistant' | 'system'
  readonly content: string | readonly Block[]
}

export interface ApiRequest {
  readonly model: string
  readonly stream?: boolean
  readonly messages: readonly ApiMessage[]
  readonly tools?: readonly { readonly name: string }[]
  readonly system?: readonly { readonly text: string }[]
}

export function blocksOf(message: ApiMessage): readonly Block[] {
  return typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content
}

/** 1.0.x sends what hooks print as user messages in tags of their own. */
const harnessTag = /<(system-reminder|session-start-hook|user-prompt-submit-hook)>[\s\S]*?<\/\1>/g

export function hasReminder(text: string): boolean {
  return text.search(harnessTag) !== -1
}

export function withoutReminders(text: string): string {
  return text.replace(harnessTag, '').trim()
}

export interface LastPrompt {
  readonly text: string
  /** How many batches of tool results came after it. */
  readonly rounds: number
}

/** What the person said last: the last text of a user message that is not a reminder. */
export function lastPrompt(messages: readonly ApiMessage[]): LastPrompt {
  let rounds = 0
  for (const message of [...messages].reverse()) {
    if (message.role !== 'user') continue
    const blocks = blocksOf(message)
    const said = blocks
      .flatMap((block) => (block.type === 'text' ? [withoutReminders(block.text)] : []))
      .filter((text) => text !== '')
    const text = said.at(-1)
    if (text !== undefined) return { text, rounds }
    if (blocks.some((block) => block.type === 'tool_result')) rounds += 1
  }
  return { text: '', rounds }
}
