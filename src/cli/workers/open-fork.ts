// A fork that was just made, opened as a worker: in a pane, or headless.
import type { App } from '../../app.ts'
import type { ForkResult } from '../../model/fork.ts'
import { renderForkResult } from '../../model/render.ts'
import { renderSendResult, renderWorker } from '../../model/render-worker.ts'
import { statusOf } from '../commands/send.ts'
import type { Context } from '../context.ts'
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
  const { name, terminal, prompt, send, json, wasShown } = options
  const { pendingPrompt } = result.fork
  const isSent = (prompt !== undefined || send === true) && pendingPrompt !== undefined
  const sent: { readonly prompt?: string } = isSent ? { prompt: pendingPrompt } : {}
  if (json !== true) await (await import('../forking/report.ts')).printFork(context, result, wasShown)
  await context.out.flush()
  try {
    // The turn of a headless one is run by this command, to its end.
    const isHeadless = terminal === 'headless'
    const worker = await app.workOn(result, {
      ...(name === undefined ? {} : { name }),
      ...(terminal === undefined ? {} : { terminal }),
      ...(isHeadless ? {} : sent),
    })
    if (json !== true) await printWorker(context, worker)
    const answered =
      isHeadless && sent.prompt !== undefined
        ? await streamTurn(context, app, worker.id, sent.prompt, { wait: true, json: json === true })
        : null
    if (json === true) {
      const document = renderForkResult(result)
      const fork = { ...document.fork, terminal_id: worker.terminalId }
      const answer = answered === null ? {} : renderSendResult(answered)
      await context.out.json(wrap({ ...document, fork, worker: renderWorker(worker), ...answer }))
    }
    return answered === null ? 0 : statusOf(answered)
  } finally {
    await app.shutDown()
  }
}
