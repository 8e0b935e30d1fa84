// `offshoot search`: an intent in plain words, answered with sessions and the turn of each to fork.
import { AppError } from '../../model/error.ts'
import { renderSearch } from '../../model/render-search.ts'
import type { SearchAnswer } from '../../model/search.ts'
import type { Context } from '../context.ts'
import { describeGaps } from '../indexing/describe-index.ts'
import { type AskOptions, askOf, filterHints } from '../searching/request.ts'
import { searchWhileIndexing } from '../searching/search-while-indexing.ts'

export interface SearchCommandOptions extends AskOptions {
  readonly interactive?: true | undefined
  readonly json?: true | undefined
}

/** Gives the exit status. */
export async function search(context: Context, intent: readonly string[], options: SearchCommandOptions): Promise<number> {
  const text = intent.join(' ').trim()
  if (options.interactive === true) return searchAndFork(context, text, options)
  if (text === '' && options.file === undefined) {
    throw new AppError('usage', 'Search for what? Give a few words, --file, or -i to type as you look.')
  }
  const { out } = context
  const query = await askOf(context, text, options)
  const app = await context.app()
  const { answer, isCutOff } = await searchWhileIndexing(context, app, query)
  if (options.json === true) {
    await out.json(renderSearch(answer))
    return 0
  }
  const goesOn = isCutOff && out.isTerminal && (await import('../indexing/index-on.ts')).indexOn(context) !== null
  await printAnswer(context, text, goesOn ? { ...answer, index: { ...answer.index, running: true } } : answer)
  if (answer.results.length === 0) {
    await (await import('../searching/nothing-found.ts')).explainNothing(context, app, query, answer)
  }
  return 0
}

async function printAnswer(context: Context, text: string, answer: SearchAnswer): Promise<void> {
  const { out } = context
  const { dim, yellow } = out.noteColors
  const { formatResults } = await import('../searching/results.ts')
  const { cleanLine } = await import('../../lib/text/clean.ts')
  for (const line of formatResults(answer, { colors: out.colors, columns: out.columns, now: context.now() })) await out.line(line)
  await out.flush()
  for (const note of [...answer.notes, ...filterHints(text)]) out.note(yellow(cleanLine(note)))
  if (answer.qmdError !== undefined) out.note(yellow(`qmd: ${cleanLine(answer.qmdError)} (answered by ${answer.mode})`))
  const gaps = describeGaps(answer.index)
  if (gaps !== null) out.note(dim(gaps))
}

async function searchAndFork(context: Context, text: string, options: SearchCommandOptions): Promise<number> {
  if (options.json === true) throw new AppError('usage', '--json prints one document; it does not go with -i.')
  if (options.explain === true) throw new AppError('usage', '--explain prints scores, and the list of -i does not show them.')
  const { findTurn } = await import('../finder/find-turn.ts')
  const address = await findTurn(context, text, options)
  return (await import('./fork.ts')).forkSession(context, address, {})
}
