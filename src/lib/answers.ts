// Answers to an agent's questions, held against what it asked: options by name or number, own words only where it takes them, none
// missing. One place for every face, so that an agent never goes on with half an answer.
import { AppError } from '../model/error.ts'
import type { Question } from '../model/question.ts'
import type { Decision, PermissionRequest } from '../model/run.ts'
import { findNearest } from './nearest.ts'
import { cleanLine } from './text/clean.ts'

/** `choose`: an option, by name or number; `text`: as it stands; `line`: what a person types, an option if it is one. */
export type AnswerKind = 'choose' | 'text' | 'line'

/** Between several options that were chosen, as Claude Code itself joins them. */
const joint = ', '

export function fitDecision(request: PermissionRequest, decision: Decision): Decision {
  const { answers = {}, ...rest } = decision
  if (decision.verdict === 'deny' || decision.verdict === 'abort') return rest
  const { questions = [] } = request
  if (questions.length > 0) return { ...rest, answers: fitAnswers(questions, answers) }
  if (Object.keys(answers).length > 0)
    throw new AppError('usage', `A yes or a no is asked for, not an answer in words: ${cleanLine(request.summary)}`)
  return decision
}

/** By the key or the text of each question; an answer to something that was not asked is refused. */
function fitAnswers(questions: readonly Question[], given: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const known = new Set(questions.flatMap(({ key, text }) => [key, text]))
  const stray = Object.keys(given).find((name) => !known.has(name))
  if (stray !== undefined) {
    const near = didYouMean(stray, [...known])
    throw new AppError('usage', `No question is called "${cleanLine(stray)}".${near}`, { hint: describeQuestions(questions) })
  }
  const missing = questions.filter((question) => question.isRequired && pick(question, given) === undefined)
  if (missing.length > 0) throw unanswered(missing)
  const fitted = questions.flatMap((question) => {
    const answer = pick(question, given)
    return answer === undefined ? [] : [[question.key, fitAnswer(question, answer, 'text')]]
  })
  return Object.fromEntries(fitted)
}

function pick({ key, text }: Question, given: Readonly<Record<string, string>>): string | undefined {
  return Object.hasOwn(given, key) ? given[key] : Object.hasOwn(given, text) ? given[text] : undefined
}

/** One answer as the agent is given it; what is none is refused with what would be. */
export function fitAnswer(question: Question, answer: string, kind: AnswerKind): string {
  const name = `"${cleanLine(question.text)}"`
  const { options, takesText, isMultiple } = question
  if (kind === 'choose' && options.length === 0)
    throw new AppError('usage', `${name} has no options to choose from.`, { hint: 'Answer it in words: `--text "..."`.' })
  if (answer.trim() === '') throw new AppError('usage', `The answer to ${name} is empty.`, { hint: describeQuestion(question) })
  const chosen = options.length === 0 ? null : choose(question, answer, kind !== 'text')
  if (chosen !== null) return chosen.join(joint)
  if (takesText && kind !== 'choose') return answer
  const near = didYouMean(
    answer,
    options.map(({ label }) => label),
  )
  const own = takesText ? ' Own words go in `--text`.' : ''
  throw new AppError('usage', `"${cleanLine(answer)}" is no option of ${name}.${near}`, {
    hint: `${describeQuestion(question)}${isMultiple ? ' Several are told apart by commas.' : ''}${own}`,
    details: { question: question.key, options: options.map(({ label }) => label) },
  })
}

/** A label may hold commas and look like a number: a whole label comes first. */
function choose(question: Question, answer: string, byNumber: boolean): readonly string[] | null {
  const whole = findOption(question, answer, byNumber)
  if (whole !== null) return [whole]
  if (!question.isMultiple) return null
  const parts = answer.split(',').map((part) => findOption(question, part, byNumber))
  return parts.every((part) => part !== null) ? [...new Set(parts)] : null
}

function findOption({ options }: Question, answer: string, byNumber: boolean): string | null {
  const wanted = answer.trim()
  const labels = options.map(({ label }) => label)
  const same = labels.find((label) => label === wanted) ?? labels.find((label) => fold(label) === fold(wanted))
  if (same !== undefined) return same
  return byNumber && /^\d{1,3}$/.test(wanted) ? (labels[Number(wanted) - 1] ?? null) : null
}

function fold(text: string): string {
  return text.trim().toLowerCase()
}

function didYouMean(wanted: string, names: readonly string[]): string {
  const near = findNearest(
    fold(wanted),
    names.map((name) => fold(name)),
  )
  const meant = near.flatMap((each) => names.find((name) => fold(name) === each) ?? [])
  return meant.length === 0 ? '' : ` Did you mean ${meant.map((name) => `"${cleanLine(name)}"`).join(' or ')}?`
}

export function unanswered(questions: readonly Question[]): AppError {
  const many = questions.length === 1 ? 'One question has' : `${questions.length} questions have`
  return new AppError('usage', `${many} no answer: ${questions.map(({ text }) => cleanLine(text)).join(' / ')}`, {
    hint: describeQuestions(questions),
    details: { questions: questions.map(({ key }) => key) },
  })
}

function describeQuestions(questions: readonly Question[]): string {
  return questions.map(describeQuestion).join(' ')
}

/** In one line: the question and what can be said to it. */
export function describeQuestion({ text, options, takesText }: Question): string {
  const choices = options.map(({ label }, at) => `${at + 1}. ${cleanLine(label)}`)
  if (takesText) choices.push(options.length > 0 ? 'or your own words' : 'in your own words')
  return `${cleanLine(text)} (${choices.join(', ')})`
}
