// `fork_worker`: a second worker from where the first one is; the first goes on undisturbed.
import { z } from 'zod'
import { AppError } from '../../../model/error.ts'
import { renderPlan } from '../../../model/render.ts'
import { renderMade } from '../../../model/render-code.ts'
import type { ForkWorkerRequest } from '../../../model/worker.ts'
import { parameters } from '../../parameters.ts'
import { planToShow, toPlan } from '../open-fork.ts'
import { toWorker } from '../render.ts'
import { safeValue } from '../safe-text.ts'
import { accept, atTurn, code, codeAt, line, planId, prompt, send, terminal, workerShape } from '../schemas.ts'
import { adding, type Call, defineTool } from '../tool.ts'
import { whereItLives } from '../worker-notes.ts'

const input = parameters({
  worker: line('Its name, id or session id'),
  name: line('Name of the new worker').optional(),
  at_turn: atTurn,
  workspace: z
    .boolean()
    .optional()
    .describe('false: in the folder of the worker it is forked from. Default: a git worktree of its own'),
  code: code.describe('Which code its worktree gets. Default: that of at_turn; without one, as it is now'),
  code_at: codeAt,
  prompt: prompt.optional().describe('First prompt of the fork'),
  send,
  terminal,
  accept,
  plan_id: planId.describe('Id of a plan shown before, to execute just that; only accept, name and terminal go with it'),
  dry_run: z.boolean().default(false).describe('Answer the plan, make nothing'),
})

export const forkWorker = defineTool({
  name: 'fork_worker',
  title: 'Fork a worker',
  description:
    "Forks a worker's session into a new worker with the same settings, in its own pane and git worktree. A busy one is forked at its last finished turn.",
  input,
  output: z.looseObject({
    worker: workerShape.optional(),
    forked_from: z.string().optional().describe('Id of the worker it was forked from'),
    note: z.string().optional(),
    plan: z.looseObject({}).optional(),
    confirm: z.array(z.string()).optional(),
    next: z.string().optional(),
  }),
  annotations: adding,
  async run(args, call) {
    const request = requestOf(args)
    if (args.dry_run) {
      if (args.plan_id !== undefined) throw new AppError('usage', '`plan_id` cannot be used with `dry_run`.')
      const plan = await call.guarded.planForkWorker(args.worker, request)
      return { structured: { plan: await toPlan(call, renderPlan(plan)) }, text: 'Nothing was done; this is the plan.' }
    }
    await call.progress('forking')
    try {
      return await fork(call, args.worker, request)
    } catch (thrown) {
      const open = planToShow(thrown, 'fork_worker')
      if (open === null) throw thrown
      const structured = { plan: await toPlan(call, open.plan), confirm: open.confirm, next: open.next }
      return { structured, text: 'Nothing was done: the plan needs a yes.' }
    }
  },
})

async function fork(call: Call, name: string, request: ForkWorkerRequest) {
  const worker = await call.guarded.forkWorker(name, request, { signal: call.signal })
  const structured = {
    worker: await toWorker(worker, call.redactor),
    forked_from: worker.forkedFrom ?? name,
    ...((await toPlan(call, renderMade(worker))) as object),
    note: whereItLives(call, worker),
    ...(worker.pendingPrompt === null ? {} : { pending_prompt: await safeValue(call.redactor, worker.pendingPrompt) }),
  }
  return { structured, text: `Forked as ${worker.name}.` }
}

function requestOf(args: z.output<typeof input>): ForkWorkerRequest {
  const { name, at_turn: atTurnName, workspace, code: mode, prompt: first, terminal: where } = args
  return {
    ...(name === undefined ? {} : { name }),
    ...(atTurnName === undefined ? {} : { atTurn: atTurnName }),
    ...(workspace === undefined ? {} : { workspace }),
    ...(mode === undefined ? {} : { code: mode }),
    ...(args.code_at === undefined ? {} : { codeAt: args.code_at }),
    ...(first === undefined ? {} : { prompt: first }),
    ...(args.send ? { send: true } : {}),
    ...(where === undefined ? {} : { terminal: where }),
    ...(args.accept === undefined ? {} : { accept: args.accept }),
    ...(args.plan_id === undefined ? {} : { planId: args.plan_id }),
  }
}
