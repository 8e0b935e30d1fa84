// `GET /openapi.json`: the API described by the very schemas that check it.
import { createRoute, z } from '@hono/zod-openapi'
import type { Api } from '../api.ts'
import { json, nothing, problems } from '../schemas/common.ts'
import { type Access, mayCall } from '../tokens/access.ts'
import { routeNeeds } from '../tokens/scope-table.ts'

const route = createRoute({
  method: 'get',
  path: '/openapi.json',
  summary: 'This document',
  request: { query: nothing },
  responses: { 200: json('OpenAPI 3.1', z.record(z.string(), z.unknown())), ...problems },
})

/** After all others: it describes what is there by then. */
export function addOpenApiRoute(api: Api, version: string): void {
  api.openAPIRegistry.registerComponent('securitySchemes', 'token', { type: 'http', scheme: 'bearer' })
  let document: Record<string, unknown> | undefined
  api.openapi(route, (context) => {
    document ??= {
      ...api.getOpenAPI31Document({
        openapi: '3.1.0',
        info: { title: 'offshoot', version, description: 'Sessions of coding agents: found, read, forked, run.' },
        security: [{ token: [] }],
      }),
    }
    return context.json({ ...document, paths: pathsFor(context.var.access, document.paths as Paths) }, 200)
  })
}

type Paths = Readonly<Record<string, Readonly<Record<string, object>>>>

/** Only what the token may call, each with the scope it needs. */
function pathsFor(access: Access, paths: Paths): Paths {
  const shown = Object.entries(paths).map(([path, methods]) => {
    const kept = Object.entries(methods).flatMap(([method, operation]) => {
      const need = routeNeeds[`${method.toUpperCase()} ${path}`]
      const isShown = path === '/health' || mayCall(access, need)
      return isShown ? [[method, { ...operation, ...(need && { 'x-offshoot-scope': need.scope }) }] as const] : []
    })
    return [path, Object.fromEntries(kept)] as const
  })
  return Object.fromEntries(shown.filter(([, methods]) => Object.keys(methods).length > 0))
}
