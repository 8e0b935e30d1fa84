// `offshoot smart-fork`: search, choose, fork. On a terminal a person chooses; without one only a hit that is clearly ahead is taken.
import { AppError } from '../../model/error.ts'
import { type renderForkResult, sessionAddress, turnAddress } from '../../model/render.ts'
import { renderSearch } from '../../model/render-search.ts'
import type { SearchAnswer, SearchResult } from '../../model/search.ts'
import type { Context } from '../context.ts'
import { type ForkOptions, refuseOptions } from '../forking/request.ts'
import { findClearLead } from '../searching/clear-lead.ts'
import { type AskOptions, askOf } from '../searching/request.ts'
import { searchWhileIndexing } from '../searching/search-while-indexing.ts'
import { canDraw } from '../terminal.ts'
import { forkSession } from './fork.ts'

export type SmartForkOptions = ForkOptions & AskOptions

const considered = 5

/** Gives the exit status. */
export async function smartFork(context: Context, intent: readonly string[], options: SmartForkOptions): Promise<number> {
  const text = intent.join(' ').trim()
  const { agent, repo, all, file, engine, minScore, ...fork } = options
  const asking = { agent, repo, all, file, engine, minScore }
  const terminal = options.json === true || options.prompt === '-' ? null : context.terminal()
  refuseOptions(options, terminal !== null)
  if (text === '' && file === undefined && terminal === null)
    throw new AppError('usage', 'Fork what? Describe it in a few words.')
  const canAsk = terminal !== null && canDraw(context.vars)
  const pick = async () => (await import('../finder/find-turn.ts')).findTurn(context, text, asking)
  if (canAsk && options.yes !== true) return forkSession(context, await pick(), fork)
  const query = await askOf(context, text, { ...asking, limit: considered })
  const { answer } = await searchWhileIndexing(context, await context.app(), query)
  if (answer.results.length === 0) throw nothingFits(text, answer)
  const best = findClearLead(answer.results)
  const mayTake = options.yes === true || options.dryRun === true
  if (best !== null && mayTake) {
    // Where --at or --before names the turn, the address must not.
    const isNamed = fork.at !== undefined || fork.before !== undefined
    const address = isNamed ? sessionAddress(best.session) : addressOf(best)
    return forkSession(context, address, fork, (document) => withSearch(answer, best, document))
  }
  if (canAsk) return forkSession(context, await pick(), fork)
  throw undecided(answer, mayTake)
}

function addressOf({ session, turn }: SearchResult): string {
  return turn === null ? sessionAddress(session) : turnAddress(session, turn)
}

/** One document for both halves: the answer of the search, and what became of it. */
function withSearch(answer: SearchAnswer, best: SearchResult, document: object): object {
  if (!('fork' in document)) return { ...renderSearch(answer), ...document }
  const { fork, plan, proof, ...more } = document as ReturnType<typeof renderForkResult>
  return {
    ...renderSearch(answer),
    forked_session: {
      session_name: fork.title,
      session_id: fork.session_id,
      resume_session_id: best.session.id,
      terminal_id: 'terminal_id' in fork ? fork.terminal_id : null,
      workspace: fork.workspace?.path ?? null,
      branch: fork.workspace?.branch ?? null,
      fork,
      plan,
      proof,
      ...more,
    },
  }
}

function nothingFits(text: string, { notes, index }: SearchAnswer): AppError {
  const hint = index.complete
    ? 'Describe it in other words, or search every repository with --all.'
    : 'Not everything is indexed yet: run `offshoot index`, then try again.'
  return new AppError('session_not_found', notes[0] ?? `No session fits: ${text}`, { hint })
}

function undecided(answer: SearchAnswer, mayTake: boolean): AppError {
  const lines = answer.results.map(
    (result) => `  ${result.score.toFixed(2)}  ${addressOf(result)}  ${result.session.title.slice(0, 80)}`,
  )
  const why = mayTake ? 'None of these is clearly what you mean:' : 'Which of these?'
  return new AppError(mayTake ? 'ambiguous' : 'confirm_needed', [why, ...lines].join('\n'), {
    hint: mayTake
      ? 'Fork one of them: offshoot fork <address>'
      : 'Fork one of them with `offshoot fork <address>`, or say --yes to the best if it is clearly ahead.',
    details: { candidates: renderSearch(answer).results },
  })
}
