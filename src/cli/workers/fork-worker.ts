// `offshoot fork worker:<name> [name]`: a fork of its session in a worker of its own, with its settings. The source goes on.
import { AppError } from '../../model/error.ts'
import { acceptedByYes, warningCodes } from '../../model/fork.ts'
import { renderForkResult } from '../../model/render.ts'
import { renderSendResult, renderWorker } from '../../model/render-worker.ts'
import type { ForkWorkerRequest } from '../../model/worker.ts'
import { statusOf } from '../commands/send.ts'
import type { Context } from '../context.ts'
import { printPending } from '../forking/report.ts'
import { type ForkOptions, promptOf } from '../forking/request.ts'
import { printMade } from '../labelled-rows.ts'
import { printWorker } from './report-worker.ts'
import { streamTurn } from './stream-turn.ts'

/** Gives the exit status. */
export async function forkWorker(context: Context, address: string, options: ForkOptions): Promise<number> {
  const [name = '', turn] = address.slice('worker:'.length).split('@')
  if (turn !== undefined && options.at !== undefined) throw new AppError('usage', 'Name the turn in one place only.')
  const app = await context.app()
  try {
    const { prompt, ...request } = await requestOf(context, { ...options, at: turn ?? options.at })
    const send = options.send === true
    // The turn of a headless one is run by this command, to its end.
    const isRunHere = send && request.terminal === undefined && (await app.findWorker(name)).kind === 'headless'
    const given = prompt === undefined || isRunHere ? request : { ...request, prompt, send }
    const worker = await app.forkWorker(name, given)
    const json = options.json === true
    if (!json) await printWorker(context, worker)
    if (!json) await printMade(context.out, worker)
    if (!json && prompt !== undefined && !send) await printPending(context, prompt, worker.pendingPrompt === null)
    const result =
      prompt === undefined || !isRunHere ? null : await streamTurn(context, app, worker.id, prompt, { wait: true, json })
    if (json) {
      const made = worker.fork === null ? {} : renderForkResult(worker.fork)
      const waits = worker.pendingPrompt === null ? {} : { pending_prompt: worker.pendingPrompt }
      const answer = result === null ? {} : renderSendResult(result)
      await context.out.json({ worker: renderWorker(worker), ...made, ...waits, ...answer })
    }
    return result === null ? 0 : statusOf(result)
  } finally {
    await app.shutDown()
  }
}

async function requestOf(context: Context, options: ForkOptions): Promise<ForkWorkerRequest> {
  const { name, at, code, prompt, terminal, accept = [], yes } = options
  const text = await promptOf(context, prompt)
  const accepted = [...accept, ...(yes === true ? acceptedByYes(warningCodes) : [])]
  return {
    ...(name === undefined ? {} : { name }),
    ...(at === undefined ? {} : { atTurn: at }),
    ...(code === undefined || code === 'none' ? {} : { workspace: true, code }),
    ...(text === undefined ? {} : { prompt: text }),
    ...(terminal === undefined ? {} : { terminal }),
    ...(accepted.length === 0 ? {} : { accept: accepted }),
  }
}
