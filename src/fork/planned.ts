// Plans that were shown, by their id: the plan a user accepts is the one that is executed.
import { AppError } from '../model/error.ts'
import type { ForkRequest, Plan } from '../model/fork.ts'

export interface PlannedFork {
  readonly request: ForkRequest
  readonly plan: Plan
}

export interface PlanMemory {
  remember(planned: PlannedFork): void
  /** Throws `plan_stale` for a plan that was not made here, or too long ago. */
  find(id: string): PlannedFork
}

const mostPlans = 32
const keptMs = 60 * 60_000

export function createPlanMemory(now: () => number): PlanMemory {
  const kept = new Map<string, PlannedFork & { readonly at: number }>()
  return {
    remember(planned) {
      kept.set(planned.plan.id, { ...planned, at: now() })
      const [oldest] = kept.keys()
      if (kept.size > mostPlans && oldest !== undefined) kept.delete(oldest)
    },
    find(id) {
      const found = kept.get(id)
      // A clock that was set back must not keep it for longer.
      if (found !== undefined && Math.abs(now() - found.at) <= keptMs) return found
      throw unknownPlan(id)
    },
  }
}

export function unknownPlan(id: string): AppError {
  return new AppError('plan_stale', `There is no plan "${id}", or it is too old.`)
}
