// `offshoot fork worker:<name> [name]`: a fork of its session in a worker of its own, with its settings. The source goes on.
import { AppError } from '../../model/error.ts'
import { acceptedByYes, warningCodes } from '../../model/fork.ts'
import { renderForkResult } from '../../model/render.ts'
import { renderSendResult, renderWorker } from '../../model/render-worker.ts'
import type { ForkWorkerRequest } from '../../model/worker.ts'
import { statusOf } from '../commands/send.ts'
import type { Context } from '../context.ts'
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
    // The turn of a headless one is run by this command, to its end.
    const isHeadless = request.terminal === undefined && (await app.findWorker(name)).kind === 'headless'
    const given = prompt === undefined || isHeadless ? request : { ...request, prompt }
    const worker = await app.forkWorker(name, given)
    const json = options.json === true
    if (!json) await printWorker(context, worker)
    if (!json) await printMade(context.out, worker)
    const result =
      prompt === undefined || !isHeadless ? null : await streamTurn(context, app, worker.id, prompt, { wait: true, json })
    if (json) {
      const made = worker.fork === null ? {} : renderForkResult(worker.fork)
      await context.out.json({ worker: renderWorker(worker), ...made, ...(result === null ? {} : renderSendResult(result)) })
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
