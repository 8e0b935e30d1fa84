// The JSON every face gives out (CLI --json, HTTP, MCP, events): snake_case, times in ISO 8601 UTC, the same shape everywhere.
import type { Check, LineageNode } from './catalog.ts'
import type { AppError } from './error.ts'
import type { Message, ParentLink, Session, Turn } from './session.ts'

/** `null` stays `null`; so does a time no calendar has (a transcript may hold any number). */
export function renderTime(at: number | null): string | null {
  if (at === null) return null
  const date = new Date(at)
  return Number.isNaN(date.getTime()) ? null : date.toISOString()
}

function renderParent(parent: ParentLink) {
  return {
    agent: parent.agent,
    session_id: parent.sessionId,
    turn_id: parent.turnId,
    turn_number: parent.turnNumber,
    message_id: parent.messageId,
    kind: parent.kind,
  }
}

export function renderSession(session: Session) {
  return {
    agent: session.agent,
    id: session.id,
    title: session.title,
    cwd: session.cwd,
    repo_root: session.repoRoot,
    branch: session.branch,
    model: session.model,
    created_at: renderTime(session.createdAt),
    updated_at: renderTime(session.updatedAt),
    turns: session.turns,
    messages: session.messages,
    bytes: session.bytes,
    path: session.path,
    live: session.live,
    parent_id: session.parent?.sessionId ?? null,
    fork_point: session.parent?.messageId ?? null,
    parent: session.parent === null ? null : renderParent(session.parent),
  }
}

/** How a person names this session, and this turn of it, anywhere. */
export function sessionAddress(session: Pick<Session, 'agent' | 'id'>): string {
  return `${session.agent}:${session.id}`
}

export function turnAddress(session: Pick<Session, 'agent' | 'id'>, turn: Pick<Turn, 'number' | 'id'>): string {
  return `${sessionAddress(session)}@${turn.number ?? turn.id}`
}

export function renderTurn(session: Pick<Session, 'agent' | 'id'>, turn: Turn) {
  return {
    number: turn.number,
    id: turn.id,
    address: turnAddress(session, turn),
    prompt: turn.prompt,
    started_at: renderTime(turn.startedAt),
    ended_at: renderTime(turn.endedAt),
    messages: turn.messages,
    state: turn.state,
    after_compaction: turn.afterCompaction,
    snapshot: null,
  }
}

export function renderMessage(message: Message) {
  const { tool } = message
  return {
    id: message.id,
    turn_id: message.turnId,
    role: message.role,
    text: message.text,
    ...(message.thinking === undefined ? {} : { thinking: message.thinking }),
    ...(tool === undefined
      ? {}
      : {
          tool: {
            name: tool.name,
            arguments: tool.arguments,
            output: tool.output,
            exit_code: tool.exitCode,
            call_id: tool.callId,
          },
        }),
    at: renderTime(message.at),
  }
}

export interface NodeJson {
  session: ReturnType<typeof renderSession>
  children: NodeJson[]
  fork_kind: LineageNode['forkKind']
  at_turn: number | null
}

export function renderNode(node: LineageNode): NodeJson {
  const root: NodeJson = renderNodeAlone(node)
  // A loop, not recursion: a chain of forks may be deeper than the stack.
  const open: [LineageNode, NodeJson][] = [[node, root]]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [from, to] = next
    for (const child of from.children) {
      const rendered = renderNodeAlone(child)
      to.children.push(rendered)
      open.push([child, rendered])
    }
  }
  return root
}

function renderNodeAlone(node: LineageNode): NodeJson {
  return { session: renderSession(node.session), children: [], fork_kind: node.forkKind, at_turn: node.atTurn }
}

export function renderCheck(check: Check) {
  return { id: check.id, state: check.state, message: check.message, fix: check.fix }
}

export function renderError(error: Pick<AppError, 'code' | 'message' | 'hint' | 'details'>) {
  return {
    error: {
      code: error.code,
      message: error.message,
      hint: error.hint,
      ...(error.details === undefined ? {} : { details: error.details }),
    },
  }
}
