// `offshoot stop`: ends workers. One that cannot be ended keeps none of the others from it.

import { cleanLine } from '../../lib/text/clean.ts'
import { renderWorker } from '../../model/render-worker.ts'
import type { Worker } from '../../model/worker.ts'
import type { Context } from '../context.ts'
import { describeState } from '../workers/describe.ts'

export async function stopWorkers(
  context: Context,
  names: readonly string[],
  { json }: { readonly json?: true | undefined },
): Promise<void> {
  const app = await context.app()
  const stopped: Worker[] = []
  const faults: unknown[] = []
  for (const name of names) {
    try {
      stopped.push(await app.stopWorker(name))
    } catch (error) {
      faults.push(error)
    }
  }
  if (json === true && faults.length === 0) await context.out.json({ workers: stopped.map(renderWorker) })
  if (json !== true) for (const worker of stopped) await context.out.line(`${worker.name}: ${cleanLine(describeState(worker))}`)
  if (faults.length > 0) throw faults[0]
}
