// Forking as one object: what `createApp` hands on. Each part is loaded when it is first asked for.
import type { Check } from '../model/catalog.ts'
import { AppError } from '../model/error.ts'
import {
  type CommandSpec,
  type ForkEntry,
  type ForkRequest,
  type ForkResult,
  nothingRecovered,
  type Plan,
  type RecoverReport,
  type UndoResult,
  type WarningCode,
} from '../model/fork.ts'
import { renderPlan } from '../model/render.ts'
import type { StartEntry, StartPlan, StartRequest, StartResult } from '../model/start.ts'
import { isStoreFault, toStoreError } from '../store/faults.ts'
import type { ForkContext } from './context.ts'
import type { MakingOptions } from './set-up.ts'

interface Acceptance extends MakingOptions {
  readonly accept?: readonly WarningCode[]
}

export function createForking(context: ForkContext) {
  async function planFork(request: ForkRequest): Promise<Plan> {
    return told(async () => {
      const plan = await (await import('./plan.ts')).planFork(context, request)
      context.plans.remember({ request, plan })
      return plan
    })
  }

  async function executeFork(plan: Plan, options?: Acceptance): Promise<ForkResult> {
    return told(async () => {
      const result = await (await import('./execute.ts')).executeFork(context, plan, options)
      context.onForked?.(result.fork)
      const { agent, workspace, command } = result.fork
      if (workspace === null) return result
      const { withRunHooks } = await import('./run-hooks.ts')
      const hooked = (each: CommandSpec) => withRunHooks(context, agent, workspace.path, each)
      return { ...result, fork: { ...result.fork, command: await hooked(command) }, again: await hooked(result.again) }
    })
  }

  return {
    planFork,
    executeFork,

    plannedFork: (id: string): Plan => context.plans.find(id).plan,

    /** `worker`: the plan must be one of forking this worker; absent: one of forking a session. */
    async executePlanned(id: string, { worker, ...options }: Acceptance & { worker?: string } = {}): Promise<ForkResult> {
      const { request, plan } = context.plans.find(id)
      if (request.worker !== worker) throw otherKind(id, request)
      try {
        return await executeFork(plan, options)
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== 'plan_stale') throw error
        const again = renderPlan(await planFork(request))
        throw new AppError(error.code, error.message, { cause: error, details: { ...(error.details ?? {}), plan: again } })
      }
    },

    fork: async (request: ForkRequest, options?: Acceptance): Promise<ForkResult> =>
      executeFork(await planFork(request), options),

    async listForks(): Promise<ForkEntry[]> {
      const { isForked, toEntry } = await import('./view.ts')
      const store = context.store()
      const forks = store.forks.all().filter(isForked)
      return forks.map((record) => toEntry(store, record))
    },

    async listStarts(): Promise<StartEntry[]> {
      const { isForked, toStarted } = await import('./view.ts')
      const store = context.store()
      const starts = store.forks.all().filter((record) => !isForked(record))
      return starts.map((record) => ({ start: toStarted(store, record), state: record.state, createdAt: record.createdAt }))
    },

    async planStart(request: StartRequest): Promise<StartPlan> {
      return told(async () => (await (await import('./plan-start.ts')).prepareStart(context, request)).plan)
    },

    async start(request: StartRequest, options?: MakingOptions): Promise<StartResult> {
      return told(async () => (await import('./start.ts')).start(context, request, options))
    },

    async undo(id?: string, options?: { readonly force?: boolean }): Promise<UndoResult> {
      return told(async () => (await import('./undo.ts')).undoFork(context, id, options))
    },

    /** When the newest fork or started session that is still there was made; 0 without one. */
    newestMadeAt: (): number =>
      context
        .store()
        .forks.all()
        .find(({ state }) => state === 'made')?.createdAt ?? 0,

    async recover(): Promise<RecoverReport> {
      return told(async () => {
        if (context.store().journal.openForks().length === 0) return nothingRecovered
        return (await import('./recover.ts')).recover(context)
      })
    },

    /** After a refresh: forks whose file the agent has made by now. */
    async proveWaiting(): Promise<void> {
      if (context.store().forks.waitingForProof().length === 0) return
      await (await import('./prove-again.ts')).proveWaiting(context)
    },

    checkForks(): Check[] {
      const open = context.store().journal.openForks()
      if (open.length === 0) return []
      const message = `${open.length === 1 ? 'one fork was' : `${open.length} forks were`} cut off: ${open.join(', ')}`
      return [{ id: 'forks', state: 'warn', message, fix: 'offshoot doctor --fix' }]
    },
  }
}

/** A fault of the database in words. */
async function told<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw isStoreFault(error) ? toStoreError(error) : error
  }
}

/** A worker's fork gets its settings, a session's does not: a plan of one is no plan of the other. */
function otherKind(id: string, { worker }: ForkRequest): AppError {
  return worker === undefined
    ? new AppError('usage', `The plan ${id} forks a session, not this worker with its settings.`, {
        hint: 'Execute it as a fork of the session, or make a plan of forking the worker.',
      })
    : new AppError('usage', `The plan ${id} forks the worker ${worker} with its settings, not a session alone.`, {
        hint: 'Execute it as a fork of this worker, or make a plan of forking the session.',
      })
}
