// Sessions: what there is, its turns, its lineage, its code.
import { createRoute, z } from '@hono/zod-openapi'
import { parseTurnName } from '../../model/address.ts'
import type { CatalogSession } from '../../model/catalog.ts'
import { AppError } from '../../model/error.ts'
import { renderNode, renderSession, renderTurn, sessionAddress } from '../../model/render.ts'
import { renderDiff } from '../../model/render-code.ts'
import { type Api, present, type RouteOptions } from '../api.ts'
import { behind, encodeCursor } from '../cursor.ts'
import { parameters } from '../parameters.ts'
import { agent, flag, json, line, list, nothing, path, problems, sessionId, wholeNumber } from '../schemas/common.ts'
import { diff, node, session, turn } from '../schemas/session.ts'

const defaultLimit = 50
const params = z.object({ id: sessionId })
/** A turn of this session, or another session's by its address, or the work tree as it is. */
const codeName = line(400).min(1)

const routes = {
  list: createRoute({
    method: 'get',
    path: '/session',
    summary: 'Sessions, newest first',
    request: {
      query: parameters({
        agent: agent.optional(),
        project_path: path.optional(),
        limit: wholeNumber(1, 500).optional(),
        cursor: line(500).optional(),
      }),
    },
    responses: {
      200: json('A page of sessions', z.object({ sessions: list(session), next: z.string().optional() })),
      ...problems,
    },
  }),
  one: createRoute({
    method: 'get',
    path: '/session/{id}',
    summary: 'One session',
    request: { params, query: nothing },
    responses: { 200: json('The session', z.object({ session })), ...problems },
  }),
  turns: createRoute({
    method: 'get',
    path: '/session/{id}/turns',
    summary: 'Its turns: the places to fork',
    request: { params, query: parameters({ dead: flag.optional().openapi({ description: 'Those of dead branches too.' }) }) },
    responses: { 200: json('The turns', z.object({ turns: list(turn) })), ...problems },
  }),
  tree: createRoute({
    method: 'get',
    path: '/session/{id}/tree',
    summary: 'Its lineage, from the root',
    request: { params, query: nothing },
    responses: { 200: json('The lineage', z.object({ nodes: list(node) })), ...problems },
  }),
  trees: createRoute({
    method: 'get',
    path: '/tree',
    summary: 'The lineage of every session',
    request: { query: nothing },
    responses: { 200: json('The lineage', z.object({ nodes: list(node) })), ...problems },
  }),
  diff: createRoute({
    method: 'get',
    path: '/session/{id}/diff',
    summary: 'What a turn changed (the last unless named), or the code between two',
    request: {
      params,
      query: parameters({
        from: codeName.optional().openapi({ description: 'A turn: 12, -2, last, 0, its id.' }),
        to: codeName.optional().openapi({ description: 'A turn of this session, another address, or `now`.' }),
      }),
    },
    responses: { 200: json('The difference', diff), ...problems },
  }),
}

export function addSessionRoutes(api: Api, { answer }: RouteOptions): void {
  api.openapi(routes.list, async (context) => {
    const { guarded } = context.var.access
    const { agent, project_path, limit = defaultLimit, cursor } = context.req.valid('query')
    const query = present({ agent, projectPath: project_path })
    // Behind a cursor the whole list is needed to find the place; else one more than asked for tells whether there are more.
    const all = await guarded.listSessions(cursor === undefined ? { ...query, limit: limit + 1 } : query)
    const rest = cursor === undefined ? all : behind(all, cursor)
    const page = rest.slice(0, limit)
    const last = page.at(-1)
    const next = rest.length > page.length && last !== undefined ? { next: encodeCursor(last) } : {}
    return answer(context, { sessions: page.map(renderSession), ...next }, 200)
  })

  api.openapi(routes.one, async (context) => {
    const { guarded } = context.var.access
    const found = await guarded.session(context.req.valid('param').id)
    return answer(context, { session: renderSession(found) }, 200)
  })

  api.openapi(routes.turns, async (context) => {
    const { guarded } = context.var.access
    const found = await guarded.session(context.req.valid('param').id)
    const { dead } = context.req.valid('query')
    const turns = await guarded.listTurns(found, present({ deadBranches: dead }))
    return answer(context, { turns: turns.map((one) => renderTurn(found, one)) }, 200)
  })

  api.openapi(routes.tree, async (context) => {
    const { guarded } = context.var.access
    const nodes = await guarded.tree(await guarded.session(context.req.valid('param').id))
    return answer(context, { nodes: nodes.map(renderNode) }, 200)
  })

  api.openapi(routes.trees, async (context) => {
    const { guarded } = context.var.access
    return answer(context, { nodes: (await guarded.tree()).map(renderNode) }, 200)
  })

  api.openapi(routes.diff, async (context) => {
    const { guarded } = context.var.access
    const found = await guarded.session(context.req.valid('param').id)
    const { from, to } = context.req.valid('query')
    if (from === undefined && to !== undefined) throw new AppError('usage', '`to` needs `from`: from which turn on?')
    const result = await guarded.diff({
      from: from === undefined ? sessionAddress(found) : codeAddress(found, from),
      to: to === undefined ? null : codeAddress(found, to),
    })
    return answer(context, renderDiff(result), 200)
  })
}

function codeAddress(of: CatalogSession, name: string): string {
  if (name === 'now' || /[:@/]/.test(name.replace(/^m:/, ''))) return name
  parseTurnName(name) // blames what was given, not the address made of it
  return `${sessionAddress(of)}@${name}`
}
