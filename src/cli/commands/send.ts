// `offshoot send`: a prompt for a worker, and its answer. A headless one is resumed for it and let go afterwards.
import { AppError } from '../../model/error.ts'
import { renderSendResult } from '../../model/render-worker.ts'
import type { SendResult } from '../../model/worker.ts'
import type { Context } from '../context.ts'
import { readPrompt } from '../forking/request.ts'
import { streamTurn } from '../workers/stream-turn.ts'

export interface SendOptions {
  readonly wait: boolean
  readonly json?: true | undefined
}

/** Gives the exit status. */
export async function sendPrompt(context: Context, name: string, text: string, options: SendOptions): Promise<number> {
  const prompt = text === '-' ? await readPrompt(context) : text
  if (prompt.trim() === '') throw new AppError('usage', 'The prompt is empty.')
  const app = await context.app()
  try {
    const { kind, name: known } = await app.findWorker(name)
    if (kind === 'headless' && !options.wait) {
      throw new AppError('usage', `"${known}" is headless: its turn would end with this command.`, {
        hint: 'Leave --no-wait out, or send through `offshoot serve`.',
      })
    }
    const result = await streamTurn(context, app, name, prompt, { wait: options.wait, json: options.json === true })
    if (options.json === true) await context.out.json(renderSendResult(result))
    return statusOf(result)
  } finally {
    await app.shutDown()
  }
}

export function statusOf({ outcome, delivery }: SendResult): number {
  if (outcome === 'interrupted') return 130
  return outcome === 'failed' || delivery === 'unconfirmed' ? 1 : 0
}
