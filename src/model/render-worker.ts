// Workers and events as every face gives them out: snake_case, times in ISO 8601, values of a worker's environment never.
import type { AppEvent } from './event.ts'
import type { Question } from './question.ts'
import { renderCommand } from './render-code.ts'
import { renderTime } from './render-time.ts'
import type { PermissionRequest, RunEvent } from './run.ts'
import type { SendResult, Worker } from './worker.ts'

export function renderWorker(worker: Worker) {
  const { settings } = worker
  return {
    id: worker.id,
    name: worker.name,
    agent: worker.agent,
    kind: worker.kind,
    session_id: worker.sessionId,
    state: worker.state,
    permission: worker.permission === null ? null : renderPermission(worker.permission),
    exit_status: worker.exitStatus,
    exit_signal: worker.exitSignal,
    cwd: worker.cwd,
    workspace: worker.workspace === null ? null : { path: worker.workspace.path, branch: worker.workspace.branch },
    terminal: worker.terminal,
    terminal_id: worker.terminalId,
    pid: worker.pid,
    command: renderCommand(worker.command),
    settings: {
      model: settings.model,
      env: Object.keys(settings.env).sort(),
      mcp_config: settings.mcpConfig,
      command: settings.command,
      policy: settings.policy,
      allow: settings.allow,
      ready_timeout_ms: settings.readyTimeoutMs,
      response_timeout_ms: settings.responseTimeoutMs,
      history: settings.history,
    },
    forked_from: worker.forkedFrom,
    created_at: renderTime(worker.createdAt),
    ended_at: renderTime(worker.endedAt),
    turn_cut_off: worker.turnCutOff,
    persistent: worker.kind === 'terminal',
    last_input: worker.lastInput,
    error: worker.error,
  }
}

export function renderSendResult({ worker, delivery, answer, outcome, error }: SendResult) {
  return { worker: renderWorker(worker), delivery, answer, outcome, error }
}

export function renderPermission(request: PermissionRequest) {
  return {
    id: request.id,
    // As in the answer to it and in the event that it was answered.
    request_id: request.id,
    tool: request.tool,
    kind: request.kind,
    summary: request.summary,
    arguments: request.arguments,
    call_id: request.callId,
    can_remember: request.canRemember,
    questions: (request.questions ?? []).map(renderQuestion),
  }
}

function renderQuestion({ key, text, options, isMultiple, takesText, isRequired, isSecret }: Question) {
  return {
    key,
    text,
    options: options.map(({ label, description }) => ({ label, description })),
    multiple: isMultiple,
    free_text: takesText,
    required: isRequired,
    secret: isSecret,
  }
}

export function renderRunEvent(event: RunEvent) {
  switch (event.kind) {
    case 'started':
      return { kind: event.kind, session_id: event.sessionId, turn_id: event.turnId, model: event.model }
    case 'message':
      return { kind: event.kind, message_id: event.messageId, text: event.text }
    case 'tool_call':
      return { kind: event.kind, call_id: event.callId, tool: event.tool, arguments: event.arguments }
    case 'tool_output':
      return { kind: event.kind, call_id: event.callId, delta: event.delta }
    case 'tool_result':
      return {
        kind: event.kind,
        call_id: event.callId,
        output: event.output,
        exit_code: event.exitCode,
        failed: event.failed,
      }
    case 'permission':
      return { kind: event.kind, request: renderPermission(event.request) }
    case 'permission_resolved':
      return { kind: event.kind, request_id: event.requestId, verdict: event.verdict }
    case 'usage': {
      const { inputTokens, cachedInputTokens, outputTokens } = event.usage
      return {
        kind: event.kind,
        usage: { input_tokens: inputTokens, cached_input_tokens: cachedInputTokens, output_tokens: outputTokens },
      }
    }
    case 'text':
    case 'thinking':
    case 'notice':
    case 'end':
      return { ...event }
  }
}

export function renderEvent(event: AppEvent) {
  return { id: event.id, type: event.type, at: renderTime(event.at), data: renderData(event) }
}

function renderData(event: AppEvent): Readonly<Record<string, unknown>> {
  switch (event.type) {
    case 'message.delta': {
      const { event: run, ...rest } = event.data
      return { ...snakeKeys(rest), event: renderRunEvent(run) }
    }
    case 'permission.requested': {
      const { request, ...rest } = event.data
      return { ...snakeKeys(rest), request_id: request.id, request: renderPermission(request) }
    }
    case 'worker.created': {
      const { worker, ...rest } = event.data
      return { ...snakeKeys(rest), forked_from: worker.forkedFrom, worker: renderWorker(worker) }
    }
    default:
      return snakeKeys(event.data)
  }
}

/** Only for flat data: what is nested above has a rendering of its own. */
function snakeKeys(data: object): Record<string, unknown> {
  const pairs = Object.entries(data).map(([key, value]) => [key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), value])
  return Object.fromEntries(pairs)
}
