// `offshoot index`: brings the index up to date, says what there is, builds it anew, or keeps it fresh while it stays.
import type { App } from '../../app.ts'
import { renderQmdReport } from '../../model/qmd.ts'
import { renderIndexReport, renderIndexState } from '../../model/render-search.ts'
import type { Context } from '../context.ts'
import { describeIndex } from '../indexing/describe-index.ts'
import { noteProblems, updateSearchIndex } from '../indexing/update-index.ts'
import { refreshWithMeter } from '../progress.ts'
import { cleanLine } from '../text/clean.ts'

export interface SearchIndexOptions {
  readonly status?: true | undefined
  readonly rebuild?: true | undefined
  readonly watch?: true | undefined
  readonly json?: true | undefined
}

export async function runSearchIndex(context: Context, { status, rebuild, watch, json }: SearchIndexOptions): Promise<void> {
  const { out } = context
  const app = await context.app()
  if (status !== true) await refreshWithMeter(context, app)
  const done = status === true ? null : await updateSearchIndex(context, app, rebuild === true)
  const state = await app.indexStatus()
  if (json === true) {
    const report = done === null ? {} : { updated: renderIndexReport(done.builtin) }
    const qmd = done === null || done.qmd === null ? {} : { qmd: renderQmdReport(done.qmd) }
    return out.json({ index: renderIndexState(state), ...report, ...qmd })
  }
  for (const line of describeIndex(state)) await out.line(line)
  if (done !== null) noteProblems(context, done)
  if (watch === true) await keepFresh(context, app)
}

/** Until a signal ends it. */
async function keepFresh(context: Context, app: App): Promise<void> {
  const { out } = context
  await out.flush()
  const { watchIndex } = await import('../indexing/watch-index.ts')
  const watching = await watchIndex(app, {
    onIndexed({ sessions, removed }) {
      void out.line(`Indexed ${sessions} changed, ${removed} removed`)
      void out.flush()
    },
    onProblem: (problem) => out.note(cleanLine(problem)),
  })
  let giveBack = (): void => undefined
  await new Promise<void>((resolve) => {
    giveBack = context.takeSignals(() => resolve())
    out.note('Watching: new turns are searchable a moment after they end; Ctrl-C ends it.')
  })
  await watching.close()
  giveBack()
}
