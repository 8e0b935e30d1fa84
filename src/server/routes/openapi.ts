// `GET /openapi.json`: the API described by the very schemas that check it.
import { createRoute, z } from '@hono/zod-openapi'
import type { Api } from '../api.ts'
import { json, nothing, problems } from '../schemas/common.ts'

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
    return context.json(document, 200)
  })
}
