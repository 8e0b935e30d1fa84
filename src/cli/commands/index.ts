// `offshoot index`: brings catalogue, search index and captures up to date, says what there is, builds it anew, or keeps it fresh.
import type { App } from '../../app.ts'
import { cleanLine } from '../../lib/text/clean.ts'
import { count } from '../../lib/text/count.ts'
import { type BackgroundStatus, renderBackground } from '../../model/background.ts'
import { renderQmdReport } from '../../model/qmd.ts'
import { turnAddress } from '../../model/render.ts'
import { renderPush } from '../../model/render-code.ts'
import { renderIndexReport, renderIndexState } from '../../model/render-search.ts'
import type { Context } from '../context.ts'
import { describeBackground } from '../indexing/describe-background.ts'
import { describeIndex } from '../indexing/describe-index.ts'
import { noteProblems, updateSearchIndex } from '../indexing/update-index.ts'
import { refreshWithMeter } from '../progress.ts'

export interface IndexOptions {
  readonly status?: true | undefined
  readonly rebuild?: true | undefined
  readonly watch?: true | undefined
  readonly json?: true | undefined
}

export async function runIndex(context: Context, { status, rebuild, watch, json }: IndexOptions): Promise<void> {
  const { out } = context
  const app = await context.app()
  if (status !== true) {
    await refreshWithMeter(context, app)
    if (rebuild !== true) await app.afterCapture({ stayMs: 0 })
  }
  const rebuilt = rebuild === true ? await app.rebuildCaptures() : null
  const searched = status === true ? null : await updateSearchIndex(context, app, rebuild === true)
  const state = await app.indexStatus()
  const { sessions, captures, waiting } = await app.captureStatus()
  const pushes = await app.pushStates()
  const background = await readServerWork(context)
  if (json === true) {
    return out.json({
      sessions,
      captures,
      waiting,
      pushes: pushes.map((push) => ({ workspace_id: push.workspaceId, ...renderPush(push) })),
      index: renderIndexState(state),
      background: background === null ? null : renderBackground(background),
      ...(searched === null ? {} : { updated: renderIndexReport(searched.builtin) }),
      ...(searched === null || searched.qmd === null ? {} : { qmd: renderQmdReport(searched.qmd) }),
      ...(rebuilt === null ? {} : { rebuilt }),
    })
  }
  if (rebuilt !== null) {
    const { repositories, captures: found, removed } = rebuilt
    await out.line(`Found ${count(found, 'capture')} in ${count(repositories, 'repository')}; ${removed} known ones are gone.`)
    for (const { path, problem } of rebuilt.problems) out.note(`${cleanLine(path)}: ${cleanLine(problem)}`)
  }
  const rest = waiting === 0 ? '' : `, ${waiting} waiting to be taken in`
  for (const line of describeIndex(state)) await out.line(line)
  await out.line(`${count(captures, 'capture')}${rest}`)
  for (const line of background === null ? [] : describeBackground(background)) await out.line(cleanLine(line))
  if (searched !== null) noteProblems(context, searched)
  if (watch === true) await watchTurns(context, app)
}

/** What a server that runs does on the side; `null` when none does. */
async function readServerWork({ paths }: Context): Promise<BackgroundStatus | null> {
  const { readBackground } = await import('../../server/background-file.ts')
  return readBackground(paths.root)
}

/** Until a signal ends it. */
async function watchTurns(context: Context, app: App): Promise<void> {
  const { out } = context
  await out.flush()
  const watching = await app.watchCaptures({
    async onCaptured(session, turn) {
      await out.line(`Captured ${turnAddress(session, turn)}`)
      await out.flush()
    },
    onProblem: (problem) => out.note(cleanLine(problem)),
  })
  const { watchIndex } = await import('../../search/watch-index.ts')
  const indexing = await watchIndex(app, {
    onIndexed({ sessions, removed }) {
      void out.line(`Indexed ${sessions} changed, ${removed} removed`)
      void out.flush()
    },
    onProblem: (problem) => out.note(cleanLine(problem)),
  })
  let giveBack = (): void => undefined
  await new Promise<void>((resolve) => {
    giveBack = context.takeSignals(() => resolve())
    out.note('Watching: turns are searchable as they end, those of agents without hooks are captured; Ctrl-C ends it.')
  })
  await indexing.close()
  await watching.close()
  giveBack()
}
