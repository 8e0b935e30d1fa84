// What Codex asks in a turn, as a neutral question, and the answer in its own words. Pure.
import { isObject } from '../../lib/jsonl.ts'
import type { Decision, PermissionRequest, PermissionVerdict } from '../../model/run.ts'
import { changedFiles, innerCommand, mcpTool } from './headless-items.ts'
import { type Body, textOrNull } from './lines.ts'

export interface Question {
  readonly request: PermissionRequest
  answer(decision: Decision): Body
}

/** `items` are the calls that have begun and not ended: the question about an edit does not say what is edited. `null`: not known. */
export function readQuestion(id: string, method: string, params: Body, items: ReadonlyMap<string, Body>): Question | null {
  switch (method) {
    case 'item/commandExecution/requestApproval':
      return commandQuestion(id, params)
    case 'item/fileChange/requestApproval':
      return editQuestion(id, params, items)
    case 'item/permissions/requestApproval':
      return accessQuestion(id, params)
    case 'item/tool/requestUserInput':
      return personQuestion(id, params)
    case 'mcpServer/elicitation/request':
      return elicitation(id, params, items)
    default:
      return null
  }
}

const decisions: Readonly<Record<PermissionVerdict, string>> = {
  allow: 'accept',
  allow_session: 'acceptForSession',
  deny: 'decline',
  abort: 'cancel',
}

function decide({ verdict }: Decision): Body {
  return { decision: decisions[verdict] }
}

function commandQuestion(id: string, params: Body): Question {
  const command = textOrNull(params.command)
  const network = isObject(params.networkApprovalContext) ? ` (network: ${params.networkApprovalContext.host})` : ''
  const shown = command === null ? (textOrNull(params.reason) ?? 'run a command') : innerCommand(command)
  return {
    request: {
      id,
      tool: 'exec_command',
      kind: 'command',
      summary: `${shown}${network}`,
      arguments: { command: shown, cwd: params.cwd, reason: textOrNull(params.reason) },
      callId: textOrNull(params.itemId),
      canRemember: true,
    },
    answer: decide,
  }
}

function editQuestion(id: string, params: Body, items: ReadonlyMap<string, Body>): Question {
  const callId = textOrNull(params.itemId)
  const changes = items.get(callId ?? '')?.changes ?? []
  const root = textOrNull(params.grantRoot)
  return {
    request: {
      id,
      tool: 'apply_patch',
      kind: 'edit',
      summary: changedFiles(changes).replaceAll('\n', ', ') || (root === null ? 'change files' : `write below ${root}`),
      arguments: { changes, reason: textOrNull(params.reason), grantRoot: root },
      callId,
      canRemember: true,
    },
    answer: decide,
  }
}

/** More access than the sandbox gives: granted as asked, or nothing of it. */
function accessQuestion(id: string, params: Body): Question {
  const { permissions, reason } = params
  return {
    request: {
      id,
      tool: 'request_permissions',
      kind: 'tool',
      summary: textOrNull(reason) ?? `more access: ${JSON.stringify(permissions)}`,
      arguments: { permissions, cwd: params.cwd, reason },
      callId: textOrNull(params.itemId),
      canRemember: true,
    },
    answer: ({ verdict }) => ({
      permissions: verdict === 'allow' || verdict === 'allow_session' ? permissions : {},
      scope: verdict === 'allow_session' ? 'session' : 'turn',
    }),
  }
}

function personQuestion(id: string, params: Body): Question {
  const questions = Array.isArray(params.questions) ? params.questions.filter(isObject) : []
  return {
    request: {
      id,
      tool: 'request_user_input',
      kind: 'question',
      summary: questions.map(({ question }) => question).join(' '),
      arguments: { questions },
      callId: textOrNull(params.itemId),
      canRemember: false,
    },
    answer: ({ answers = {} }) => {
      const given = questions.flatMap(({ id: name, question }) => {
        const answer = answers[String(question)] ?? answers[String(name)]
        return answer === undefined ? [] : [[String(name), { answers: [answer] }]]
      })
      return { answers: Object.fromEntries(given) }
    },
  }
}

const actions: Readonly<Record<PermissionVerdict, string>> = {
  allow: 'accept',
  allow_session: 'accept',
  deny: 'decline',
  abort: 'cancel',
}

/** Codex asks so whether a tool of an MCP server may run; the server itself asks so for what it wants to know. */
function elicitation(id: string, params: Body, items: ReadonlyMap<string, Body>): Question {
  const meta = isObject(params._meta) ? params._meta : {}
  const isApproval = meta.codex_approval_kind === 'mcp_tool_call'
  const call = [...items].findLast(([, item]) => item.type === 'mcpToolCall' && item.server === params.serverName)
  const canRemember = isApproval && Array.isArray(meta.persist) && meta.persist.includes('session')
  const { requestedSchema: schema, url } = params
  return {
    request: {
      id,
      tool: mcpTool(params.serverName, call?.[1].tool ?? meta.tool_title ?? ''),
      kind: isApproval ? 'tool' : 'question',
      summary: String(params.message ?? params.title ?? params.mode),
      arguments: isApproval ? meta.tool_params : { schema, url },
      callId: call?.[0] ?? null,
      canRemember,
    },
    answer: ({ verdict, answers }) => ({
      action: actions[verdict],
      content: verdict === 'allow' || verdict === 'allow_session' ? contentFor(schema, answers ?? {}) : null,
      _meta: verdict === 'allow_session' && canRemember ? { persist: 'session' } : null,
    }),
  }
}

/** Answers are texts; the form says which of them are numbers or yes and no. */
function contentFor(schema: unknown, answers: Readonly<Record<string, string>>): Body {
  const properties = isObject(schema) && isObject(schema.properties) ? schema.properties : {}
  const fields = Object.entries(properties).flatMap(([name, field]) => {
    const answer = answers[name] ?? (isObject(field) ? answers[String(field.title)] : undefined)
    return answer === undefined ? [] : [[name, typed(isObject(field) ? field.type : undefined, answer)]]
  })
  return Object.fromEntries(fields)
}

function typed(type: unknown, answer: string): unknown {
  if (type === 'boolean') return /^(true|yes|y|1)$/i.test(answer.trim())
  return (type === 'number' || type === 'integer') && answer.trim() !== '' ? Number(answer) : answer
}
