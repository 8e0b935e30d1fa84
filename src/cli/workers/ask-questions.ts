// An agent's questions, put to the person at the terminal one by one: an option by its number or name, or their own words.
import { fitAnswer } from '../../lib/answers.ts'
import { cleanLine } from '../../lib/text/clean.ts'
import { AppError } from '../../model/error.ts'
import type { Question } from '../../model/question.ts'
import { askLine } from '../forking/ask.ts'
import type { Terminal } from '../terminal.ts'

/** `null`: the person would not say (Ctrl-C, Ctrl-D). */
export async function askQuestions(
  terminal: Terminal,
  questions: readonly Question[],
): Promise<Readonly<Record<string, string>> | null> {
  const answers: [key: string, answer: string][] = []
  for (const question of questions) {
    terminal.output.write(`\n${questionLines(question).join('\n')}\n`)
    const answer = await askUntilFit(terminal, question)
    if (answer === null) return null
    if (answer !== '') answers.push([question.key, answer])
  }
  return Object.fromEntries(answers)
}

async function askUntilFit(terminal: Terminal, question: Question): Promise<string | null> {
  for (;;) {
    const line = await askLine(terminal, '> ', question.isSecret)
    if (line === null || (line.trim() === '' && !question.isRequired)) return line === null ? null : ''
    try {
      return fitAnswer(question, line, 'line')
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      terminal.output.write(`${error.message}\n`)
    }
  }
}

function questionLines({ text, options, isMultiple, takesText, isRequired }: Question): string[] {
  const choices = options.map(({ label, description }, at) => {
    const about = description === null || description === '' ? '' : `: ${cleanLine(description)}`
    return `  ${at + 1}. ${cleanLine(label)}${about}`
  })
  const ways = [
    ...(options.length === 0 ? [] : [isMultiple ? 'numbers or names, with commas between' : 'a number or a name']),
    ...(takesText ? ['your own words'] : []),
    ...(isRequired ? [] : ['nothing, to leave it out']),
  ]
  return [cleanLine(text), ...choices, `  (${ways.join(', or ')}; Ctrl-C refuses)`]
}
