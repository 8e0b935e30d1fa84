// A fork that was just made, opened in a pane as a worker.
import type { App } from '../../app.ts'
import type { ForkResult } from '../../model/fork.ts'
import { renderForkResult } from '../../model/render.ts'
import { renderWorker } from '../../model/render-worker.ts'
import type { Context } from '../context.ts'
import type { ForkOptions } from '../forking/request.ts'
import { printWorker } from './report-worker.ts'

/** Gives the exit status. */
export async function openFork(
  context: Context,
  app: App,
  result: ForkResult,
  options: ForkOptions & { readonly wasShown: boolean },
  wrap: (document: object) => object,
): Promise<number> {
  const { name, terminal, send, json, wasShown } = options
  const { pendingPrompt } = result.plan
  const report = await import('../forking/report.ts')
  if (json !== true) await report.printFork(context, result, wasShown)
  await context.out.flush()
  try {
    const worker = await app.workOn(result, {
      ...(name === undefined ? {} : { name }),
      ...(terminal === undefined ? {} : { terminal }),
      ...(pendingPrompt === undefined ? {} : { prompt: pendingPrompt, send: send === true }),
    })
    if (json === true) {
      const document = renderForkResult(result)
      const { pending_prompt: _, ...made } = document.fork
      const waits = worker.pendingPrompt === null ? {} : { pending_prompt: worker.pendingPrompt }
      const fork = { ...made, ...waits, terminal_id: worker.terminalId }
      await context.out.json(wrap({ ...document, fork, worker: renderWorker(worker) }))
      return 0
    }
    await printWorker(context, worker)
    if (pendingPrompt !== undefined && send !== true)
      await report.printPending(context, pendingPrompt, worker.pendingPrompt === null)
    return 0
  } finally {
    await app.shutDown()
  }
}
