// What Codex asks in a turn, as a neutral question, and the answer in its own words. Pure.
import { isObject } from '../../lib/jsonl.ts'
import type { Question as Asked } from '../../model/question.ts'
import type { Decision, PermissionRequest, PermissionVerdict } from '../../model/run.ts'
import { readOptions } from '../options.ts'
import { contentFor, fieldsOf } from './headless-form.ts'
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

/** Leave to reach a host, or to type into a program that runs, is another question than leave to run a command. */
function commandQuestion(id: string, params: Body): Question {
  const told = textOrNull(params.command)
  const command = told === null ? (textOrNull(params.reason) ?? 'run a command') : innerCommand(told)
  const network = isObject(params.networkApprovalContext) ? params.networkApprovalContext : null
  const isTyping = params.kind !== undefined && params.kind !== 'command'
  const tool = network !== null ? 'network_access' : isTyping ? 'write_stdin' : 'exec_command'
  return {
    request: {
      id,
      tool,
      kind: tool === 'exec_command' ? 'command' : 'tool',
      summary: network === null ? command : `${network.host}: ${command}`,
      arguments: { command, cwd: params.cwd, reason: textOrNull(params.reason), ...(network === null ? {} : { network }) },
      callId: textOrNull(params.itemId),
      canRemember: true,
    },
    answer: decide,
  }
}

function editQuestion(id: string, params: Body, items: ReadonlyMap<string, Body>): Question {
  const callId = textOrNull(params.itemId)
  const root = textOrNull(params.grantRoot)
  const changes = [
    ...touchedBy(items.get(callId ?? '')?.changes),
    ...(root === null ? [] : [{ path: root, kind: { type: 'open' } }]),
  ]
  return {
    request: {
      id,
      tool: 'apply_patch',
      kind: 'edit',
      summary: changedFiles(changes).replaceAll('\n', ', ') || 'change files',
      arguments: { changes, reason: textOrNull(params.reason) },
      callId,
      canRemember: true,
    },
    answer: decide,
  }
}

/** Every path that would be written, so that none is overlooked: where a file is moved to as well. */
function touchedBy(changes: unknown): Body[] {
  const known = Array.isArray(changes) ? changes.filter(isObject) : []
  return known.flatMap((change) => {
    const target = isObject(change.kind) ? change.kind.move_path : null
    return typeof target === 'string' ? [change, { path: target, kind: { type: 'move to' } }] : [change]
  })
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
      questions: questions.map(askedOf),
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

/** `isOther` adds own words to the options; without options they are all there is. */
function askedOf({ id, question, options, isOther, isSecret }: Body): Asked {
  const known = readOptions(options)
  const takesText = known.length === 0 || isOther === true
  const rest = { isMultiple: false, takesText, isRequired: true, isSecret: isSecret === true }
  return { key: String(id), text: textOrNull(question) ?? String(id), options: known, ...rest }
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
      ...(isApproval ? {} : { questions: fieldsOf(schema) }),
    },
    answer: ({ verdict, answers }) => ({
      action: actions[verdict],
      content: verdict === 'allow' || verdict === 'allow_session' ? contentFor(schema, answers ?? {}) : null,
      _meta: verdict === 'allow_session' && canRemember ? { persist: 'session' } : null,
    }),
  }
}
