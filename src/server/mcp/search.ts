// One search as an answer: the rows of SF3, without the caller itself, short enough; and where qmd cannot answer, what to do (SF5).
import { wordsFor } from '../../model/program-words.ts'
import { renderQmdGuidance } from '../../model/qmd.ts'
import { renderSearch } from '../../model/render-search.ts'
import type { SearchAnswer, SearchQuery, SearchResult } from '../../model/search.ts'
import type { AgentId } from '../../model/session.ts'
import { isCaller, scopeOf } from './caller.ts'
import { safeText, safeValue, untrustedNotice } from './safe-text.ts'
import { fitRows } from './size.ts'
import type { Answer, Call } from './tool.ts'

export interface Asked {
  readonly text: string
  readonly agentType: AgentId | 'both'
  readonly limit: number
  readonly projectPath?: string | undefined
  readonly collection?: string | undefined
  readonly engine?: 'builtin' | 'qmd' | undefined
  readonly file?: string | undefined
  readonly minScore?: number | undefined
  readonly includeSnippets: boolean
  readonly snippetLength: number
  readonly includeCaller?: boolean
}

export interface Found {
  /** As many as the answer shows, ranked anew. */
  readonly results: readonly SearchResult[]
  readonly engine: SearchAnswer['engine']
  /** The folder that was meant: a fork's code of `now` and `head` is taken from the work tree it lies in. */
  readonly scope: string
  /** Every session is in the index as it is now. */
  readonly isComplete: boolean
  readonly structured: Readonly<Record<string, unknown>>
}

const rowsBytes = 11_000

/** Throws `qmd_not_available` where qmd was asked for and cannot answer. */
export async function findSessions(call: Call, asked: Asked): Promise<Found> {
  const { guarded, redactor, signal } = call
  await call.progress('searching')
  const caller = await call.caller()
  const query: SearchQuery & { projectPath: string } = {
    text: asked.text,
    projectPath: await scopeOf(guarded, caller, asked.projectPath),
    limit: asked.limit + 1, // one may be the caller
    snippetLength: asked.snippetLength,
    ...(asked.agentType === 'both' ? {} : { agent: asked.agentType }),
    ...(asked.collection === undefined ? {} : { collection: asked.collection }),
    ...(asked.engine === undefined ? {} : { engine: asked.engine }),
    ...(asked.file === undefined ? {} : { file: asked.file }),
    ...(asked.minScore === undefined ? {} : { minScore: asked.minScore }),
  }
  const answer = await guarded.search(query, signal)
  const others = answer.results.filter(({ session }) => asked.includeCaller === true || !isCaller(caller, session))
  const results = others.slice(0, asked.limit).map((result, at) => ({ ...result, rank: at + 1 }))
  const rendered = renderSearch({ ...answer, results })
  const rows = await Promise.all(
    rendered.results.map(async ({ snippet_marks: _, snippet, title, ...row }) => ({
      ...row,
      score: Math.round(row.score * 1000) / 1000,
      title: await safeText(redactor, title, 160),
      ...(asked.includeSnippets ? { snippet: await safeText(redactor, snippet, asked.snippetLength) } : {}),
    })),
  )
  const shown = fitRows(rows, rowsBytes)
  const cut = rows.length > shown.length ? [`${rows.length - shown.length} more fit but would make the answer too long.`] : []
  const notes = [...(rendered.notes ?? []), ...cut]
  return {
    results: results.slice(0, shown.length),
    engine: answer.engine,
    scope: query.projectPath,
    isComplete: answer.index.complete,
    structured: {
      query: rendered.query,
      engine: rendered.engine,
      mode: rendered.mode,
      results: shown,
      index: rendered.index,
      ...(notes.length === 0 ? {} : { notes }),
      ...(rendered.qmd_error === undefined ? {} : { qmd_error: rendered.qmd_error }),
      notice: untrustedNotice,
    },
  }
}

const withoutQmd = 'Or call fork_session with one of fallback_sessions.'

/** What to do without qmd, and the newest sessions instead, as an answer; any other error is thrown on. */
export async function guide(call: Call, thrown: unknown, limit: number): Promise<Answer> {
  const guidance = renderQmdGuidance(thrown)
  if (guidance === null) throw thrown
  const { fallback_sessions, ...rest } = (await safeValue(call.redactor, guidance)) as typeof guidance
  return {
    structured: {
      ...rest,
      next_steps: [...rest.next_steps.map((step) => wordsFor('mcp', step)), withoutQmd],
      fallback_sessions: fitRows(fallback_sessions.slice(0, limit)),
    },
    text: `qmd is not available: ${guidance.message}`,
  }
}
