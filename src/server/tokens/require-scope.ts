// Refuses routes above the scope of the token, before anything is read or done.
import type { MiddlewareHandler } from 'hono'
import { matchedRoutes } from 'hono/route'
import type { ApiEnv } from '../api.ts'
import { type Refusing, requireNeed } from './access.ts'
import { routeNeeds } from './scope-table.ts'

export function requireScope(refusing: Refusing): MiddlewareHandler<ApiEnv> {
  return async (context, next) => {
    const { access } = context.var
    if (access === undefined || access.token === null) return next() // /health, and the owner
    for (const { method, path } of matchedRoutes(context)) {
      if (path === '/*') continue // checks as this one
      const route = `${method === 'ALL' ? 'POST' : method} ${path.replace(/:(\w+)/g, '{$1}')}`
      requireNeed(access, route, routeNeeds[route], refusing)
    }
    await next()
  }
}
