// The JSON every face gives out (CLI --json, HTTP, MCP, events): snake_case, times in ISO 8601 UTC, the same shape everywhere.
import type { Check, LineageNode } from './catalog.ts'
import type { AppError } from './error.ts'
import type { Fork, ForkEntry, ForkResult, Plan, Proof, UndoResult } from './fork.ts'
import {
  renderCommand,
  renderMade,
  renderPlanCode,
  renderRestoreEntry,
  renderSetupPlan,
  renderSnapshot,
  renderStarted,
} from './render-code.ts'
import { renderTime } from './render-time.ts'
import type { Message, ParentLink, Session, Turn } from './session.ts'

export { renderTime }

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
    snapshot: turn.snapshot === undefined || turn.snapshot === null ? null : renderSnapshot(turn.snapshot),
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
            failed: tool.failed,
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

export function renderPlan(plan: Plan) {
  const { parent, turn, tokens, code } = plan
  const of = { agent: parent.agent, id: parent.sessionId }
  return {
    id: plan.id,
    agent: plan.agent,
    model: plan.model,
    title: plan.title,
    parent: renderParent(parent),
    turn: turn === null ? null : renderTurn(of, turn),
    kept_turns: plan.keptTurns,
    dropped_turns: plan.droppedTurns,
    strategy: plan.strategy,
    strategy_reason: plan.strategyReason,
    seed: plan.seed === null ? null : renderSeed(plan.seed),
    tokens: {
      estimate: tokens.estimate,
      source: tokens.source,
      context_window: tokens.contextWindow,
      context_window_source: tokens.contextWindowSource,
      percent: tokens.percent,
    },
    cost: plan.cost,
    code: renderPlanCode(code),
    workspace: plan.workspace,
    cwd: plan.cwd,
    ...(plan.pendingPrompt === undefined ? {} : { pending_prompt: plan.pendingPrompt, send: plan.send }),
    setup: plan.setup === null ? null : renderSetupPlan(plan.setup),
    terminal: plan.terminal,
    warnings: plan.warnings,
    confirm: plan.confirm,
    blockers: plan.blockers,
    steps: plan.steps,
  }
}

function renderSeed({ droppedMessages, droppedCharacters }: NonNullable<Plan['seed']>) {
  return { dropped_messages: droppedMessages, dropped_characters: droppedCharacters }
}

export function renderProof(proof: Proof) {
  return {
    source_unchanged: proof.sourceUnchanged,
    prefix_verified: proof.prefixVerified,
    cwd_verified: proof.cwdVerified,
    details: proof.details,
  }
}

export function renderFork(fork: Fork) {
  const { workspace } = fork
  return {
    id: fork.id,
    agent: fork.agent,
    session_id: fork.sessionId,
    strategy: fork.strategy,
    title: fork.title,
    file: fork.file,
    parent: renderParent(fork.parent),
    workspace: workspace === null ? null : { path: workspace.path, branch: workspace.branch, base_commit: workspace.baseCommit },
    command: renderCommand(fork.command),
    ...(fork.pendingPrompt === undefined ? {} : { pending_prompt: fork.pendingPrompt }),
  }
}

/** The answer to `fork`. */
export function renderForkResult(result: ForkResult) {
  const { fork, plan, proof } = result
  return { fork: renderFork(fork), plan: renderPlan(plan), proof: renderProof(proof), ...renderMade(result) }
}

export function renderForkEntry({ fork, proof, state, createdAt }: ForkEntry) {
  return {
    fork: renderFork(fork),
    proof: proof === null ? null : renderProof(proof),
    state,
    created_at: renderTime(createdAt),
  }
}

export function renderUndo(result: UndoResult) {
  const { kind, undone, removed, kept } = result
  const outcome = { kind, undone, removed, kept }
  switch (result.kind) {
    case 'fork':
      return { ...outcome, fork: renderFork(result.fork) }
    case 'start':
      return { ...outcome, start: renderStarted(result.start) }
    case 'restore':
      return { ...outcome, restore: renderRestoreEntry(result.restore), restored: result.restored }
    case 'recovered':
      return { ...outcome, recovered: result.recovered }
  }
}
