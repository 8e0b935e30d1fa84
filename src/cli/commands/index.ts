// `offshoot index`: brings the catalogue and the captures up to date, says what there is, or finds the captures again.
import type { App } from '../../app.ts'
import { renderTime, turnAddress } from '../../model/render.ts'
import type { Context } from '../context.ts'
import { refreshWithMeter } from '../progress.ts'
import { cleanLine } from '../text/clean.ts'

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
  const { sessions, captures, waiting } = await app.indexStatus()
  const pushes = await app.pushStates()
  if (json === true) {
    const shown = pushes.map((push) => ({
      workspace_id: push.workspaceId,
      branch: push.branch,
      remote: push.remote,
      pushed_commit: push.pushedCommit,
      attempts: push.attempts,
      next_at: renderTime(push.nextAt),
      problem: push.problem,
    }))
    return out.json({ sessions, captures, waiting, pushes: shown, ...(rebuilt === null ? {} : { rebuilt }) })
  }
  if (rebuilt !== null) {
    const { repositories, captures: found, removed } = rebuilt
    await out.line(`Found ${count(found, 'capture')} in ${count(repositories, 'repository')}; ${removed} known ones are gone.`)
    for (const { path, problem } of rebuilt.problems) out.note(`${cleanLine(path)}: ${cleanLine(problem)}`)
  }
  const rest = waiting === 0 ? '' : `, ${waiting} waiting to be taken in`
  await out.line(`${count(sessions, 'session')}, ${count(captures, 'capture')}${rest}`)
  if (watch === true) await watchTurns(context, app)
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
  let giveBack = (): void => undefined
  await new Promise<void>((resolve) => {
    giveBack = context.takeSignals(() => resolve())
    out.note('Watching for turns of agents without hooks; Ctrl-C ends it.')
  })
  await watching.close()
  giveBack()
}

function count(number: number, noun: string): string {
  return `${number} ${number === 1 ? noun : `${noun.replace(/y$/, 'ie')}s`}`
}
