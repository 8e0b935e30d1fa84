// What the stand-in API was sent by the driver's own prompts.
import { isCompaction } from '../codex/answer.ts'
import type { LoggedRequest } from '../codex/api.ts'
import type { CodexHome } from '../codex/home.ts'

/** The first request of the conversation that held this prompt; requests for a title and probes are none of it. */
export function requestWith({ api }: CodexHome, prompt: string): LoggedRequest | undefined {
  return api.requests.find((request) => isConversation(request) && textsOf(request).includes(prompt))
}

function isConversation({ headers, input }: LoggedRequest): boolean {
  return !(headers['x-codex-turn-metadata'] ?? '').includes('thread_title') && !isCompaction(input)
}

function textsOf({ input }: LoggedRequest): string[] {
  return input.flatMap(({ role, content }) =>
    role === 'user' && Array.isArray(content) ? content.map((part: { text?: unknown }) => String(part.text)) : [],
  )
}

/** True when the turn that told the model this prompt had told it another one before. */
export function joinedTurn(home: CodexHome, prompt: string): boolean {
  const told = requestWith(home, prompt)
  return home.api.requests.some((request) => request.turnId === told?.turnId && !textsOf(request).includes(prompt))
}
