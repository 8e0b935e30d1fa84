// `offshoot answer`: says yes or no to what a headless worker asks, or answers its questions, wherever its turn runs. In a pane a
// person answers there.
import { type AnswerKind, describeQuestion, fitAnswer, unanswered } from '../../lib/answers.ts'
import { cleanLine } from '../../lib/text/clean.ts'
import { AppError } from '../../model/error.ts'
import { renderWorker } from '../../model/render-worker.ts'
import type { Decision, PermissionRequest, PermissionVerdict } from '../../model/run.ts'
import type { Worker } from '../../model/worker.ts'
import type { Context } from '../context.ts'
import { describeState } from '../workers/describe.ts'

/** `--choose` and `--text`, one for each question, in the order in which they were written. */
export interface GivenAnswer {
  readonly kind: Exclude<AnswerKind, 'line'>
  readonly text: string
}

export interface AnswerOptions {
  readonly answers?: readonly GivenAnswer[]
  readonly reason?: string | undefined
  readonly json?: true | undefined
}

export async function answerWorker(
  context: Context,
  name: string,
  verdict: PermissionVerdict | undefined,
  options: AnswerOptions,
): Promise<void> {
  const app = await context.app()
  const asking = await app.findWorker(name)
  const { id, permission } = asking
  if (permission === null)
    throw new AppError('permission_not_found', `"${asking.name}" asks for nothing that could be answered here.`)
  const decision = await decide(context, asking, permission, verdict, options)
  const worker = await app.answerPermission(id, permission.id, decision)
  if (options.json === true) return context.out.json({ worker: renderWorker(worker) })
  context.out.note(`${decision.verdict}: ${cleanLine(permission.summary)}`)
  await context.out.line(`${worker.name}: ${cleanLine(describeState(worker))}`)
}

async function decide(
  context: Context,
  { name, kind }: Worker,
  permission: PermissionRequest,
  verdict: PermissionVerdict | undefined,
  { answers = [], reason, json }: AnswerOptions,
): Promise<Decision> {
  if (verdict === 'deny' || verdict === 'abort') {
    if (answers.length > 0) throw new AppError('usage', `Give an answer or ${verdict}, not both.`)
    return { verdict, ...(reason === undefined ? {} : { reason }) }
  }
  // It is answered in its pane, which the app explains.
  if (kind === 'terminal') return { verdict: verdict ?? 'allow' }
  if (reason !== undefined) throw new AppError('usage', 'A reason goes with a no: deny or abort.')
  const { questions = [] } = permission
  if (answers.length > 0 || (verdict !== undefined && questions.length > 0))
    return { verdict: verdict ?? 'allow', answers: inOrder(permission, answers) }
  if (verdict !== undefined) return { verdict }
  const terminal = json === true ? null : context.terminal()
  if (terminal !== null) {
    const { askPerson } = await import('../workers/ask-person.ts')
    return askPerson(terminal, name, permission)
  }
  throw new AppError('usage', `"${name}" asks: ${cleanLine(permission.summary)}`, { hint: howToAnswer(name, permission) })
}

function inOrder({ questions = [], summary }: PermissionRequest, answers: readonly GivenAnswer[]): Record<string, string> {
  if (questions.length === 0)
    throw new AppError('usage', `A yes or a no is asked for, not an answer in words: ${cleanLine(summary)}`)
  if (answers.length > questions.length) {
    const asked = questions.length === 1 ? 'one question' : `${questions.length} questions`
    throw new AppError('usage', `There are ${answers.length} answers for ${asked}.`, {
      hint: questions.map(describeQuestion).join(' '),
    })
  }
  const missing = questions.slice(answers.length).filter(({ isRequired }) => isRequired)
  if (missing.length > 0) throw unanswered(missing)
  const fitted = questions.slice(0, answers.length).map((question, at) => {
    const { text = '', kind = 'text' } = answers[at] ?? {}
    return [question.key, fitAnswer(question, text, kind)]
  })
  return Object.fromEntries(fitted)
}

function howToAnswer(name: string, { questions = [] }: PermissionRequest): string {
  if (questions.length === 0) return `offshoot answer ${name} allow|allow_session|deny|abort`
  const ways = questions.map(({ options }) => (options.length > 0 ? '--choose "..."' : '--text "..."'))
  return `offshoot answer ${name} ${ways.join(' ')}, for: ${questions.map(describeQuestion).join(' ')}`
}
