// `offshoot interrupt`: ends the turn a worker is at; the worker stays.
import { cleanLine } from '../../lib/text/clean.ts'
import { renderWorker } from '../../model/render-worker.ts'
import type { Context } from '../context.ts'
import { describeState } from '../workers/describe.ts'

export async function interruptWorker(
  context: Context,
  name: string,
  { json }: { readonly json?: true | undefined },
): Promise<void> {
  const worker = await (await context.app()).interruptWorker(name)
  if (json === true) return context.out.json({ worker: renderWorker(worker) })
  await context.out.line(`${worker.name}: ${cleanLine(describeState(worker))}`)
}
