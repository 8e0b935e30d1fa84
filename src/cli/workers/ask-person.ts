// What a worker asks, put to the person at the terminal: its questions, or whether it may.
import { cleanLine } from '../../lib/text/clean.ts'
import type { Decision, PermissionRequest } from '../../model/run.ts'
import { askYesNo } from '../forking/ask.ts'
import type { Terminal } from '../terminal.ts'
import { askQuestions } from './ask-questions.ts'
import { describeAsked } from './describe.ts'

export async function askPerson(terminal: Terminal, name: string, request: PermissionRequest): Promise<Decision> {
  const { questions = [] } = request
  const no = { verdict: 'deny', reason: 'The person said no.' } as const
  if (questions.length > 0) {
    terminal.output.write(`\n"${name}" asks:`)
    const answers = await askQuestions(terminal, questions)
    return answers === null ? no : { verdict: 'allow', answers }
  }
  return (await askYesNo(terminal, `\n"${name}" asks: ${cleanLine(describeAsked(request))}\nAllow?`)) ? { verdict: 'allow' } : no
}
