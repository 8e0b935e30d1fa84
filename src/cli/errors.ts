// Turns whatever was thrown into one message for the person (or one JSON document) and the exit status of the error table.
import { asError } from '../lib/error-message.ts'
import { cleanText } from '../lib/text/clean.ts'
import { AppError, exitBug } from '../model/error.ts'
import { renderError } from '../model/render.ts'
import type { Context } from './context.ts'

export function reportError(thrown: unknown, context: Context, json: boolean): number {
  if (thrown instanceof AppError) {
    if (json) context.out.json(renderError(thrown))
    else if (thrown.code === 'interrupted') context.out.note(cleanText(thrown.message))
    else printError(thrown.message, thrown.hint, context)
    return thrown.exit
  }
  return reportBug(thrown, context, json)
}

function reportBug(thrown: unknown, context: Context, json: boolean): number {
  const error = asError(thrown)
  context.log.write('error', 'internal error', { error })
  const message = `internal error: ${error.message}`
  const hint = `This is a bug in offshoot; the details are in ${context.log.file}`
  if (json) context.out.json({ error: { code: 'internal', message, hint } })
  else printError(message, hint, context)
  return exitBug
}

function printError(message: string, hint: string, { out }: Context): void {
  const { red, dim } = out.noteColors
  out.note(`${red('error:')} ${cleanText(message)}`)
  if (hint !== '') out.note(dim(`hint: ${cleanText(hint)}`))
}
