// An agent writes a few lines more after it is idle: a plan that they made stale is made again, a few times.
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '../model/error.ts'
import type { ForkRequest, ForkResult, Plan, WarningCode } from '../model/fork.ts'
import type { WorkerForking } from './context.ts'

const plans = 5
const staleMs = 200

export async function forkFreshly(
  forking: WorkerForking,
  makeRequest: () => Promise<ForkRequest>,
  acceptOf: (plan: Plan) => readonly WarningCode[],
): Promise<ForkResult> {
  for (let tries = 1; ; tries += 1) {
    const plan = await forking.planFork(await makeRequest())
    if (isOvertaken(plan) && tries < plans) {
      await sleep(staleMs)
      continue
    }
    try {
      return await forking.executeFork(plan, { accept: acceptOf(plan) })
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'plan_stale' || tries === plans) throw error
      await sleep(staleMs)
    }
  }
}

/** The last turn was to be kept, and another one began while the plan was made: then it is not the last any more. */
function isOvertaken({ cut, turn, blockers }: Plan): boolean {
  return cut.kind === 'tip' && turn?.state !== 'running' && blockers.some(({ code }) => code === 'turn_running')
}
