// What another offshoot gave out of a worker, taken in again: the way back of render-worker.ts, for the faces that speak to it.
import type { Question } from './question.ts'
import type { renderPermission, renderRunEvent } from './render-worker.ts'
import type { PermissionRequest, RunEvent } from './run.ts'

export type PermissionDocument = ReturnType<typeof renderPermission>
export type RunEventDocument = ReturnType<typeof renderRunEvent>

export function parsePermission(document: PermissionDocument): PermissionRequest {
  const { request_id: _, call_id, can_remember, questions = [], ...rest } = document
  const request = { ...rest, callId: call_id, canRemember: can_remember }
  return questions.length === 0 ? request : { ...request, questions: questions.map(parseQuestion) }
}

function parseQuestion({ multiple, free_text, required, secret, ...rest }: PermissionDocument['questions'][number]): Question {
  return { ...rest, isMultiple: multiple, takesText: free_text, isRequired: required, isSecret: secret }
}

/** `null`: of a kind that is not known here, from a newer one. */
export function parseRunEvent(event: RunEventDocument): RunEvent | null {
  switch (event.kind) {
    case 'started':
      return { kind: event.kind, sessionId: event.session_id, turnId: event.turn_id, model: event.model }
    case 'message':
      return { kind: event.kind, messageId: event.message_id, text: event.text }
    case 'tool_call':
      return { kind: event.kind, callId: event.call_id, tool: event.tool, arguments: event.arguments }
    case 'tool_output':
      return { kind: event.kind, callId: event.call_id, delta: event.delta }
    case 'tool_result': {
      const { kind, call_id, output, exit_code, failed } = event
      return { kind, callId: call_id, output, exitCode: exit_code, failed }
    }
    case 'permission':
      return { kind: event.kind, request: parsePermission(event.request) }
    case 'permission_resolved':
      return { kind: event.kind, requestId: event.request_id, verdict: event.verdict }
    case 'usage': {
      const { input_tokens, cached_input_tokens, output_tokens } = event.usage
      const usage = { inputTokens: input_tokens, cachedInputTokens: cached_input_tokens, outputTokens: output_tokens }
      return { kind: event.kind, usage }
    }
    case 'text':
    case 'thinking':
    case 'notice':
    case 'end':
      return event
    default:
      return null
  }
}
