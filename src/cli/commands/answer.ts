// `offshoot answer`: says yes or no to what a headless worker asks, wherever its turn runs. In a pane a person answers there.
import { cleanLine } from '../../lib/text/clean.ts'
import { AppError } from '../../model/error.ts'
import { renderWorker } from '../../model/render-worker.ts'
import type { PermissionVerdict } from '../../model/run.ts'
import type { Context } from '../context.ts'
import { describeState } from '../workers/describe.ts'

export interface AnswerOptions {
  readonly reason?: string | undefined
  readonly json?: true | undefined
}

export async function answerWorker(
  context: Context,
  name: string,
  verdict: PermissionVerdict,
  { reason, json }: AnswerOptions,
): Promise<void> {
  const app = await context.app()
  const { id, name: known, permission } = await app.findWorker(name)
  if (permission === null) throw new AppError('permission_not_found', `"${known}" asks for nothing that could be answered here.`)
  const worker = await app.answerPermission(id, permission.id, { verdict, ...(reason === undefined ? {} : { reason }) })
  if (json === true) return context.out.json({ worker: renderWorker(worker) })
  context.out.note(`${verdict}: ${cleanLine(permission.summary)}`)
  await context.out.line(`${worker.name}: ${cleanLine(describeState(worker))}`)
}
