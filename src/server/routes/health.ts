// `GET /health`: the one route without a token. It tells how the server does, and nothing about anyone's work.

import { performance } from 'node:perf_hooks'
import { createRoute, z } from '@hono/zod-openapi'
import type { GuardedApp } from '../../guarded-app.ts'
import { renderIndexState } from '../../model/render-search.ts'
import type { Api } from '../api.ts'
import { count, json, list, problems } from '../schemas/common.ts'
import { indexState } from '../schemas/search.ts'

/** One background pipeline, in words that name no folder. */
export interface PipelineState {
  readonly name: string
  readonly state: string
}

const health = z
  .object({
    status: z.literal('ok'),
    version: z.string(),
    instance: z.string().openapi({ description: 'Of this run of the server: equal to `instance` in server.json.' }),
    uptime_ms: count,
    index: indexState.nullable(),
    background: list(z.object({ name: z.string(), state: z.string() })),
    workers: count.nullable(),
    listeners: count,
  })
  .openapi('Health')

const route = createRoute({
  method: 'get',
  path: '/health',
  summary: 'How the server does; needs no token',
  security: [],
  responses: { 200: json('It is well', health), ...problems },
})

export interface HealthOptions {
  readonly guarded: Pick<GuardedApp, 'indexStatus' | 'listWorkers'>
  readonly version: string
  readonly instance: string
  readonly background: () => readonly PipelineState[]
  readonly listeners: () => number
}

/** Anyone may ask this, so what costs something is looked up once a second at most. */
const freshMs = 1000

export function addHealthRoutes(api: Api, { guarded, version, instance, background, listeners }: HealthOptions): void {
  const startedAt = performance.now()
  const look = async () => ({
    index: await orNull(async () => renderIndexState(await guarded.indexStatus())),
    workers: await orNull(async () => (await guarded.listWorkers()).length),
  })
  let seen: { readonly at: number; readonly what: ReturnType<typeof look> } | null = null
  api.openapi(route, async (context) => {
    const now = performance.now()
    if (seen === null || now - seen.at > freshMs) seen = { at: now, what: look() }
    const uptime = Math.round(now - startedAt)
    return context.json(
      {
        status: 'ok' as const,
        version,
        instance,
        uptime_ms: uptime,
        ...(await seen.what),
        background: background().map(({ name, state }) => ({ name, state })),
        listeners: listeners(),
      },
      200,
    )
  })
}

/** A database that is busy or broken is said by `null`: the server itself is there. */
async function orNull<Value>(ask: () => Promise<Value>): Promise<Value | null> {
  try {
    return await ask()
  } catch {
    return null // told by doctor, which may name what is wrong
  }
}
