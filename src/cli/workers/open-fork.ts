// A fork that was just made, opened as a worker: in a pane, or headless.
import type { App } from '../../app.ts'
import type { ForkResult } from '../../model/fork.ts'
import { renderSendResult, renderWorker } from '../../model/render-worker.ts'
import { statusOf } from '../commands/send.ts'
import type { Context } from '../context.ts'
import { forkDocument } from '../forking/fork-document.ts'
import type { ForkOptions } from '../forking/request.ts'
import { printWorker } from './report-worker.ts'
import { streamTurn } from './stream-turn.ts'

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
  // The turn of a headless one is run by this command, to its end.
  const isRunHere = terminal === 'headless' && send === true && pendingPrompt !== undefined
  const report = await import('../forking/report.ts')
  if (json !== true) await report.printFork(context, result, wasShown)
  await context.out.flush()
  try {
    const worker = await app.workOn(result, {
      ...(name === undefined ? {} : { name }),
      ...(terminal === undefined ? {} : { terminal }),
      ...(pendingPrompt === undefined || isRunHere ? {} : { prompt: pendingPrompt, send: send === true }),
    })
    if (json !== true) await printWorker(context, worker)
    if (json !== true && pendingPrompt !== undefined && send !== true)
      await report.printPending(context, pendingPrompt, worker.pendingPrompt === null)
    const answered = isRunHere
      ? await streamTurn(context, app, worker.id, pendingPrompt, { wait: true, json: json === true })
      : null
    if (json === true) {
      const document = await forkDocument(app, result)
      const { pending_prompt: _, ...made } = document.fork
      const waits = isRunHere || worker.pendingPrompt === null ? {} : { pending_prompt: worker.pendingPrompt }
      const fork = { ...made, ...waits, terminal_id: worker.terminalId }
      const answer = answered === null ? {} : renderSendResult(answered)
      await context.out.json(wrap({ ...document, fork, worker: renderWorker(worker), ...answer }))
    }
    return answered === null ? 0 : statusOf(answered)
  } finally {
    await app.shutDown()
  }
}
