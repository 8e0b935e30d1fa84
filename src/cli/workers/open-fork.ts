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
  const { name, terminal, prompt, send, json, wasShown } = options
  const { pendingPrompt } = result.fork
  const sent = (prompt !== undefined || send === true) && pendingPrompt !== undefined ? { prompt: pendingPrompt } : {}
  if (json !== true) await (await import('../forking/report.ts')).printFork(context, result, wasShown)
  await context.out.flush()
  try {
    const worker = await app.workOn(result, {
      ...(name === undefined ? {} : { name }),
      ...(terminal === undefined ? {} : { terminal }),
      ...sent,
    })
    if (json === true) {
      const document = renderForkResult(result)
      const fork = { ...document.fork, terminal_id: worker.terminalId }
      await context.out.json(wrap({ ...document, fork, worker: renderWorker(worker) }))
    } else await printWorker(context, worker)
    return 0
  } finally {
    await app.shutDown()
  }
}
