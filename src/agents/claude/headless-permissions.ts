// Permission requests of Claude Code's control channel (`can_use_tool`) in neutral form, and the answers as it takes them.
import { isObject } from '../../lib/jsonl.ts'
import type { Question } from '../../model/question.ts'
import type { Decision, PermissionRequest, PermissionVerdict } from '../../model/run.ts'
import { readOptions } from '../options.ts'

type Body = Readonly<Record<string, unknown>>

export interface PendingPermission {
  readonly request: PermissionRequest
  readonly input: Body
  /** Rules that would spare the question from now on, for this session only. */
  readonly rules: readonly Body[]
}

const maxSummary = 300

export function readPermission(id: string, asked: Body): PendingPermission {
  const tool = typeof asked.tool_name === 'string' ? asked.tool_name : 'tool'
  const input = isObject(asked.input) ? asked.input : {}
  const rules = sessionRules(asked.permission_suggestions)
  const { kind, summary } = describeCall(tool, input)
  const callId = typeof asked.tool_use_id === 'string' ? asked.tool_use_id : null
  const canRemember = rules.length > 0 && kind !== 'question'
  const request = { id, tool, kind, summary, arguments: input, callId, canRemember }
  return { request: kind === 'question' ? { ...request, questions: questionsIn(input) } : request, input, rules }
}

/** How leave for a tool call is asked for. */
export function describeCall(tool: string, args: unknown): Pick<PermissionRequest, 'kind' | 'summary'> {
  const kind = kindOf(tool)
  return { kind, summary: summarise(tool, kind, isObject(args) ? args : {}) }
}

function kindOf(tool: string): PermissionRequest['kind'] {
  if (tool === 'Bash' || tool === 'PowerShell') return 'command'
  if (tool === 'Edit' || tool === 'Write' || tool === 'MultiEdit' || tool === 'NotebookEdit') return 'edit'
  return tool === 'AskUserQuestion' ? 'question' : 'tool'
}

function summarise(tool: string, kind: PermissionRequest['kind'], input: Body): string {
  const said = {
    command: input.command,
    edit: input.file_path ?? input.notebook_path,
    question:
      questionsIn(input)
        .map(({ text }) => text)
        .join(' / ') || undefined,
    tool: undefined,
  }[kind]
  const text = typeof said === 'string' ? said : `${tool} ${JSON.stringify(input)}`
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what must not reach a terminal
  const line = text.replace(/[\s\u0000-\u001f\u007f-\u009f]+/g, ' ').trim()
  return line.length > maxSummary ? `${line.slice(0, maxSummary - 1)}…` : line
}

/** Its answers go by the texts of the questions, and the CLI offers own words ("Other") with every one of them. */
function questionsIn({ questions }: Body): Question[] {
  const asked = Array.isArray(questions) ? questions.filter(isObject) : []
  return asked.flatMap(({ question, options, multiSelect }) => {
    if (typeof question !== 'string') return []
    const isMultiple = multiSelect === true
    const shared = { takesText: true, isRequired: true, isSecret: false }
    return [{ key: question, text: question, options: readOptions(options), isMultiple, ...shared }]
  })
}

/**
 * What the CLI suggests, but never further than this session: `localSettings` would edit the person's repository. Where it offers
 * a rule for this very call, the wider offer beside it (all edits from now on) is left out.
 */
function sessionRules(suggestions: unknown): Body[] {
  const offered = Array.isArray(suggestions) ? suggestions.filter(isObject) : []
  const narrow = offered.filter(
    ({ type, behavior }) => type === 'addDirectories' || (type === 'addRules' && behavior === 'allow'),
  )
  const wide = offered.filter(({ type, mode }) => type === 'setMode' && mode === 'acceptEdits')
  return (narrow.length > 0 ? narrow : wide).map((rule) => ({ ...rule, destination: 'session' }))
}

export interface Answer {
  /** What really was answered: a rule that cannot be remembered is a plain yes. */
  readonly verdict: PermissionVerdict
  readonly response: Body
}

/** `updatedInput` always goes along: 2.1.197 refuses an allow without it. */
export function answerTo({ request, input, rules }: PendingPermission, decision: Decision): Answer {
  const { verdict, reason } = decision
  switch (verdict) {
    case 'allow':
    case 'allow_session': {
      const answers = request.kind === 'question' ? { answers: decision.answers ?? {} } : {}
      const allow = { behavior: 'allow', updatedInput: { ...input, ...answers } }
      if (verdict === 'allow' || !request.canRemember) return { verdict: 'allow', response: allow }
      return { verdict, response: { ...allow, updatedPermissions: rules } }
    }
    case 'deny':
      return { verdict, response: { behavior: 'deny', message: reason ?? 'The person refused this.', interrupt: false } }
    case 'abort':
      return { verdict, response: { behavior: 'deny', message: reason ?? 'The person ended the turn.', interrupt: true } }
  }
}
