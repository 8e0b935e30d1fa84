// `POST /session/{id}/fork` (BT3): the same fork as everywhere, named by message or turn.
import { createRoute, z } from '@hono/zod-openapi'
import type { GuardedApp } from '../../guarded-app.ts'
import type { CatalogSession } from '../../model/catalog.ts'
import { AppError } from '../../model/error.ts'
import type { ForkRequest } from '../../model/fork.ts'
import { isPlanOf } from '../../model/plan-of.ts'
import { renderForkResult, renderPlan, renderSession, sessionAddress } from '../../model/render.ts'
import { type Api, present, type RouteOptions } from '../api.ts'
import { messagesOf } from '../message-stream.ts'
import { body, json, nothing, problems, sessionId } from '../schemas/common.ts'
import { forkAnswer, forkRequest, plan } from '../schemas/fork.ts'

const route = createRoute({
  method: 'post',
  path: '/session/{id}/fork',
  summary: 'Fork a session at a message or a turn (at its end unless named)',
  request: { params: z.object({ id: sessionId }), query: nothing, body: body(forkRequest) },
  responses: {
    200: json('Of `dry_run`: the plan', z.object({ plan })),
    201: json('The fork', forkAnswer),
    ...problems,
  },
})

export function addForkRoutes(api: Api, { answer, deeds }: RouteOptions): void {
  api.openapi(route, async (context) => {
    const { guarded } = context.var.access
    const source = await guarded.session(context.req.valid('param').id)
    const asked = context.req.valid('json')
    const { plan_id, accept } = asked
    if (plan_id !== undefined) await refuseOtherPlan(guarded, source, asked, plan_id)
    const request = await requestOf(guarded, source, asked)
    if (asked.dry_run === true) {
      return answer(context, { plan: renderPlan(await guarded.planFork(request)) }, 200)
    }
    deeds.take()
    const result = await (plan_id === undefined
      ? guarded.fork(request, present({ accept }))
      : guarded.executePlanned(plan_id, present({ accept })))
    const address = `${result.fork.agent}:${result.fork.sessionId}`
    const child = await findChild(guarded, address)
    context.header('location', `/session/${address}`)
    const session = child === null ? null : renderSession(child)
    return answer(context, { session, ...renderForkResult(result) }, 201)
  })
}

/** A plan says all of it: anything else that is asked for would not be done. */
async function refuseOtherPlan(
  guarded: GuardedApp,
  source: CatalogSession,
  { plan_id: _, accept: __, ...others }: z.infer<typeof forkRequest>,
  planId: string,
): Promise<void> {
  const given = Object.keys(others)
  if (given.length > 0)
    throw new AppError('usage', `\`plan_id\` cannot be used with ${given.map((name) => `\`${name}\``).join(', ')}.`)
  const plan = await guarded.plannedFork(planId)
  const { parent } = plan
  if (plan.terminal !== 'none') {
    throw new AppError('usage', `The plan ${planId} opens its fork as a worker (${plan.terminal}); this route opens nothing.`, {
      hint: 'Execute it where it was made: POST /workers/{id}/fork takes the plans of a worker.',
    })
  }
  if (!isPlanOf(plan, source)) throw new AppError('usage', `The plan ${planId} is of ${parent.agent}:${parent.sessionId}.`)
}

async function requestOf(guarded: GuardedApp, source: CatalogSession, asked: z.infer<typeof forkRequest>): Promise<ForkRequest> {
  const { message_id, message_index, at_turn, before_turn, code, code_at, workspace } = asked
  const points = [message_id, message_index, at_turn, before_turn].filter((point) => point !== undefined)
  if (points.length > 1)
    throw new AppError('usage', 'Name one place to fork at: message_id, message_index, at_turn or before_turn.')
  if (workspace === false && code !== undefined && code !== 'none') {
    throw new AppError('usage', `Without a workspace there is nowhere to put the code: leave out code "${code}".`)
  }
  const messageId = message_index === undefined ? message_id : await messageAt(guarded, source, message_index)
  return {
    address: sessionAddress(source),
    ...present({
      at: messageId === undefined ? at_turn : `m:${messageId}`,
      before: before_turn,
      to: asked.to_agent,
      strategy: asked.strategy,
      code: workspace === false ? ('none' as const) : code,
      codeAt: code_at,
      branch: asked.branch,
      title: asked.title,
      prompt: asked.prompt,
      send: asked.send,
      allowCut: asked.allow_cut,
    }),
    terminal: 'none',
  }
}

async function messageAt(guarded: GuardedApp, source: CatalogSession, index: number): Promise<string> {
  for await (const { message } of messagesOf(guarded.readSession(source), { from: index, limit: 1 })) return message.id
  throw new AppError('message_not_found', `${sessionAddress(source)} has no message ${index}: it has ${source.messages}, from 0.`)
}

/** `null` while the agent has not made its file. */
async function findChild(guarded: GuardedApp, address: string): Promise<CatalogSession | null> {
  try {
    return await guarded.session(address)
  } catch (error) {
    if (error instanceof AppError && error.code === 'session_not_found') return null
    throw error
  }
}
