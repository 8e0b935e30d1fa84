// Workers: running agents; started, sent to, interrupted, answered, forked and stopped.
import { createRoute, z } from '@hono/zod-openapi'
import { AppError } from '../../model/error.ts'
import { renderPlan } from '../../model/render.ts'
import { renderMade } from '../../model/render-code.ts'
import { renderSendResult, renderWorker } from '../../model/render-worker.ts'
import type { Worker, WorkerRequest } from '../../model/worker.ts'
import { type Api, dropWhenStalled, present, type RouteOptions } from '../api.ts'
import { parameters } from '../parameters.ts'
import { problemOf } from '../problem.ts'
import { body, flag, json, list, nothing, problems, workerId } from '../schemas/common.ts'
import { notes, plan, setup } from '../schemas/fork.ts'
import {
  forkWorkerRequest,
  permissionAnswer,
  runEvent,
  sendAnswer,
  sendRequest,
  worker,
  workerRequest,
} from '../schemas/worker.ts'
import { streamTurn } from '../turn-stream.ts'
import { wordsOf } from '../words.ts'

const params = z.object({ id: workerId })
const one = z.object({ worker })
const made = one.extend({ notes, setup: setup.optional() })

const routes = {
  list: createRoute({
    method: 'get',
    path: '/workers',
    summary: 'Workers, newest first',
    request: { query: parameters({ ended: flag.optional().openapi({ description: 'Those that have ended too.' }) }) },
    responses: { 200: json('The workers', z.object({ workers: list(worker) })), ...problems },
  }),
  spawn: createRoute({
    method: 'post',
    path: '/workers',
    summary: 'Start an agent: a new session, a resumed one, a fork of one',
    request: { query: nothing, body: body(workerRequest) },
    responses: { 201: json('The worker', made), ...problems },
  }),
  find: createRoute({
    method: 'get',
    path: '/workers/{id}',
    summary: 'One worker',
    request: { params, query: nothing },
    responses: { 200: json('The worker', one), ...problems },
  }),
  stop: createRoute({
    method: 'delete',
    path: '/workers/{id}',
    summary: 'Stop it; its session stays',
    request: { params, query: nothing },
    responses: { 200: json('The worker', one), ...problems },
  }),
  fork: createRoute({
    method: 'post',
    path: '/workers/{id}/fork',
    summary: 'Fork its session into a worker of its own; the source goes on',
    request: { params, query: nothing, body: body(forkWorkerRequest) },
    responses: {
      200: json('With `dry_run`: what would be done', z.object({ plan })),
      201: json(
        'The new worker; `pending_prompt`: a prompt that was not sent and waits in no composer',
        made.extend({ worker_id: z.string(), forked_from: z.string(), pending_prompt: z.string().optional() }),
      ),
      ...problems,
    },
  }),
  send: createRoute({
    method: 'post',
    path: '/workers/{id}/send',
    summary: 'Give it a prompt; with `Accept: text/event-stream` its turn comes as events',
    request: { params, query: nothing, body: body(sendRequest) },
    responses: {
      200: {
        description: 'The turn has ended',
        content: { ...json('', sendAnswer).content, 'text/event-stream': { schema: runEvent } },
      },
      202: json('It was taken', sendAnswer),
      ...problems,
    },
  }),
  interrupt: createRoute({
    method: 'post',
    path: '/workers/{id}/interrupt',
    summary: 'End the running turn',
    request: { params, query: nothing },
    responses: { 200: json('The worker', one), ...problems },
  }),
  permission: createRoute({
    method: 'post',
    path: '/workers/{id}/permission',
    summary: 'Answer what it asks',
    request: { params, query: nothing, body: body(permissionAnswer) },
    responses: { 200: json('The worker', one), ...problems },
  }),
}

export function addWorkerRoutes(api: Api, { redactor, answer, log, heartbeatMs, deeds }: RouteOptions): void {
  const show = (found: Worker) => ({ worker: renderWorker(found) })

  api.openapi(routes.list, async (context) => {
    const { guarded } = context.var.access
    const workers = await guarded.listWorkers(present({ ended: context.req.valid('query').ended }))
    return answer(context, { workers: workers.map(renderWorker) }, 200)
  })

  api.openapi(routes.spawn, async (context) => {
    const { guarded } = context.var.access
    deeds.take()
    const spawned = await guarded.spawnWorker(requestOf(context.req.valid('json')))
    context.header('location', `/workers/${spawned.id}`)
    return answer(context, { ...show(spawned), ...renderMade(spawned) }, 201)
  })

  api.openapi(routes.find, async (context) =>
    answer(context, show(await context.var.access.guarded.findWorker(context.req.valid('param').id)), 200),
  )

  api.openapi(routes.stop, async (context) =>
    answer(context, show(await context.var.access.guarded.stopWorker(context.req.valid('param').id)), 200),
  )

  api.openapi(routes.fork, async (context) => {
    const { guarded } = context.var.access
    const source = await guarded.findWorker(context.req.valid('param').id)
    const { new_id, at_turn, code_at, plan_id, dry_run, ...rest } = context.req.valid('json')
    const request = present({ name: new_id, atTurn: at_turn, codeAt: code_at, planId: plan_id, ...rest })
    if (dry_run === true) {
      if (plan_id !== undefined) throw new AppError('usage', '`plan_id` cannot be used with `dry_run`.')
      return answer(context, { plan: renderPlan(await guarded.planForkWorker(source.id, request)) }, 200)
    }
    deeds.take()
    const forked = await guarded.forkWorker(source.id, request)
    context.header('location', `/workers/${forked.id}`)
    const waits = forked.pendingPrompt === null ? {} : { pending_prompt: forked.pendingPrompt }
    const ids = { worker_id: forked.id, forked_from: source.id }
    return answer(context, { ...ids, ...show(forked), ...renderMade(forked), ...waits }, 201)
  })

  api.openapi(routes.send, async (context) => {
    const { guarded } = context.var.access
    const { id } = context.req.valid('param')
    const { prompt, wait = false, timeout_ms } = context.req.valid('json')
    const limit = present({ timeoutMs: timeout_ms })
    const isStreamed = context.req.header('accept')?.includes('text/event-stream') === true
    if (timeout_ms !== undefined && !wait && !isStreamed)
      throw new AppError('usage', '`timeout_ms` is how long the turn is waited for: give `wait: true` with it.')
    deeds.take()
    if (isStreamed) {
      dropWhenStalled(context)
      return streamTurn({
        redactor,
        heartbeatMs,
        toProblem: (error) => problemOf(error, log, wordsOf(context.req)),
        run: (onEvent) => guarded.sendToWorker(id, prompt, { onEvent, ...limit }),
      })
    }
    const result = await guarded.sendToWorker(id, prompt, { wait, ...limit })
    return wait ? answer(context, renderSendResult(result), 200) : answer(context, renderSendResult(result), 202)
  })

  api.openapi(routes.interrupt, async (context) =>
    answer(context, show(await context.var.access.guarded.interruptWorker(context.req.valid('param').id)), 200),
  )

  api.openapi(routes.permission, async (context) => {
    const { guarded } = context.var.access
    const { request_id, decision, reason, answers } = context.req.valid('json')
    const verdict = { verdict: decision, ...present({ reason, answers }) }
    return answer(context, show(await guarded.answerPermission(context.req.valid('param').id, request_id, verdict)), 200)
  })
}

function requestOf({ project_path, at_turn, code_at, settings, ...rest }: z.infer<typeof workerRequest>): WorkerRequest {
  return {
    ...present(rest),
    agent: rest.agent,
    projectPath: project_path,
    ...present({ atTurn: at_turn, codeAt: code_at, settings: settings === undefined ? undefined : settingsOf(settings) }),
  }
}

function settingsOf(asked: NonNullable<z.infer<typeof workerRequest>['settings']>): NonNullable<WorkerRequest['settings']> {
  const { mcp_config, ready_timeout_ms, response_timeout_ms, ...rest } = asked
  return present({
    ...rest,
    mcpConfig: mcp_config,
    readyTimeoutMs: ready_timeout_ms,
    responseTimeoutMs: response_timeout_ms,
  })
}
