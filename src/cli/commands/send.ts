// `offshoot send`: a prompt for a worker, and its answer. A headless one is resumed for it and let go afterwards,
// unless the running server holds it: then it answers there.
import type { App } from '../../app.ts'
import { AppError } from '../../model/error.ts'
import { renderSendResult } from '../../model/render-worker.ts'
import type { SendResult, Worker } from '../../model/worker.ts'
import type { Context } from '../context.ts'
import { promptOf } from '../forking/request.ts'
import { streamTurn } from '../workers/stream-turn.ts'

export interface SendOptions {
  readonly wait: boolean
  /** In seconds. */
  readonly timeout?: number | undefined
  readonly json?: true | undefined
}

/** Gives the exit status. */
export async function sendPrompt(context: Context, name: string, text: string, options: SendOptions): Promise<number> {
  const { wait, timeout } = options
  if (!wait && timeout !== undefined) {
    throw new AppError('usage', '--timeout is how long the answer is waited for; it does not go with --no-wait.')
  }
  const prompt = await promptOf(context, text)
  const app = await context.app()
  try {
    const worker = await app.findWorker(name)
    const leaves = worker.kind === 'headless' && !wait
    const streamed = { wait, json: options.json === true, timeoutMs: timeout === undefined ? undefined : timeout * 1000 }
    const result = leaves ? await handOver(context, app, worker, prompt) : await streamTurn(context, app, name, prompt, streamed)
    if (leaves && !streamed.json) context.out.note(`"${worker.name}" is at work in the server; see \`offshoot workers\`.`)
    if (options.json === true) await context.out.json(renderSendResult(result))
    return statusOf(result)
  } finally {
    await app.shutDown()
  }
}

/** The turn of a headless one ends with who runs it: nobody waits for it but the server. */
async function handOver(context: Context, app: App, { id, name }: Worker, prompt: string): Promise<SendResult> {
  const { reachServer } = await import('../../server/reach-holder.ts')
  const server = await reachServer(context.paths.root)
  if (server === null) {
    throw new AppError('usage', `"${name}" is headless: its turn would end with this command.`, {
      hint: 'Leave --no-wait out, or run `offshoot serve`: the turn is run there.',
    })
  }
  const sent = await server.send(id, prompt, { wait: false })
  return { worker: await app.findWorker(id), ...sent }
}

export function statusOf({ outcome, delivery }: SendResult): number {
  if (outcome === 'interrupted') return 130
  return outcome === 'failed' || delivery === 'unconfirmed' ? 1 : 0
}
