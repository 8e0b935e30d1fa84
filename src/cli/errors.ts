// Turns whatever was thrown into one message for the person (or one JSON document) and the exit status of the error table.
import { asError } from '../lib/error-message.ts'
import { toMachineFault } from '../lib/machine-fault.ts'
import { cleanText } from '../lib/text/clean.ts'
import { exitBug } from '../model/error.ts'
import { renderError } from '../model/render.ts'
import type { Context } from './context.ts'

export function reportError(thrown: unknown, context: Context, json: boolean): number {
  const error = toMachineFault(thrown)
  if (error === null) return reportBug(thrown, context, json)
  if (json) context.out.json(renderError(error))
  else if (error.code === 'interrupted') context.out.note(cleanText(error.message))
  else printError(error.message, error.hint, context)
  return error.exit
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
