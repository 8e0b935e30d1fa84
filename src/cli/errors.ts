// Turns whatever was thrown into one message for the person (or one JSON document) and the exit status of the error table.
import { AppError, exitBug } from '../model/error.ts'
import { renderError } from '../model/render.ts'
import type { Context } from './context.ts'
import { cleanText } from './text/clean.ts'

export function reportError(thrown: unknown, context: Context, json: boolean): number {
  if (thrown instanceof AppError) {
    if (json) context.out.json(renderError(thrown))
    else printError(thrown.message, thrown.hint, candidatesOf(thrown.details), context)
    return thrown.exit
  }
  return reportBug(thrown, context, json)
}

function reportBug(thrown: unknown, context: Context, json: boolean): number {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown))
  context.log.write('error', 'internal error', { error })
  const message = `internal error: ${error.message}`
  const hint = `This is a bug in offshoot; the details are in ${context.log.file}`
  if (json) context.out.json({ error: { code: 'internal', message, hint } })
  else printError(message, hint, [], context)
  return exitBug
}

function printError(message: string, hint: string, candidates: readonly string[], { out }: Context): void {
  const { red, dim } = out.noteColors
  out.note(`${red('error:')} ${cleanText(message)}`)
  for (const candidate of candidates) out.note(`  ${cleanText(candidate)}`)
  if (hint !== '') out.note(dim(`hint: ${cleanText(hint)}`))
}

/** Errors about addresses carry the nearest candidates in their details. */
function candidatesOf(details: unknown): string[] {
  if (typeof details !== 'object' || details === null || !('candidates' in details)) return []
  if (!Array.isArray(details.candidates)) return []
  return details.candidates.map((candidate) => (typeof candidate === 'string' ? candidate : JSON.stringify(candidate)))
}
