// `GET /health`: the one route without a token. It tells how the server does, and nothing about anyone's work.

import { performance } from 'node:perf_hooks'
import { createRoute, z } from '@hono/zod-openapi'
import type { GuardedApp } from '../../guarded-app.ts'
import type { BackgroundStatus, PipelineStatus } from '../../model/background.ts'
import { renderTime } from '../../model/render.ts'
import { renderIndexState } from '../../model/render-search.ts'
import type { Api } from '../api.ts'
import { count, json, nothing, orNull, problems, time } from '../schemas/common.ts'
import { indexState } from '../schemas/search.ts'

const pipeline = z.object({
  state: z.enum(['off', 'waiting', 'running', 'failing', 'stalled']),
  done_at: time,
  next_at: time,
  progress: z.object({ step: z.string(), done: z.number(), total: z.number() }).nullable(),
})

const background = z.object({
  state: z.enum(['starting', 'running', 'down', 'stopped']),
  restarts: count,
  index: pipeline,
  qmd: pipeline,
})

const health = z
  .object({
    status: z.literal('ok'),
    version: z.string(),
    instance: z.string().openapi({ description: 'Of this run of the server: equal to `instance` in server.json.' }),
    uptime_ms: count,
    index: orNull(indexState),
    background: background.nullable(),
    workers: count.nullable(),
    listeners: count,
  })
  .openapi('Health')

const route = createRoute({
  method: 'get',
  path: '/health',
  summary: 'How the server does; needs no token',
  request: { query: nothing },
  security: [],
  responses: { 200: json('It is well', health), ...problems },
})

export interface HealthOptions {
  readonly guarded: Pick<GuardedApp, 'indexStatus' | 'listWorkers'>
  readonly version: string
  readonly instance: string
  readonly background: () => BackgroundStatus | null
  readonly listeners: () => number
}

/** Anyone may ask this, so what costs something is looked up once a second at most. */
const freshMs = 1000

export function addHealthRoutes(api: Api, { guarded, version, instance, background: status, listeners }: HealthOptions): void {
  const startedAt = performance.now()
  const look = async () => ({
    index: await tryTo(async () => renderIndexState(await guarded.indexStatus())),
    workers: await tryTo(async () => (await guarded.listWorkers()).length),
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
        background: describeBackground(status()),
        listeners: listeners(),
      },
      200,
    )
  })
}

/** Without what went wrong in words: these name folders, and are for `doctor`. */
function describeBackground(status: BackgroundStatus | null): z.infer<typeof background> | null {
  if (status === null) return null
  return {
    state: status.state,
    restarts: status.restarts,
    index: describePipeline(status.index),
    qmd: describePipeline(status.qmd),
  }
}

function describePipeline({ state, doneAt, nextAt, progress }: PipelineStatus): z.infer<typeof pipeline> {
  return {
    state,
    done_at: renderTime(doneAt),
    next_at: renderTime(nextAt),
    progress: progress === null ? null : inPercent(progress),
  }
}

/** How many sessions the whole machine has is not said. */
function inPercent({ step, done, total }: NonNullable<PipelineStatus['progress']>) {
  return { step, done: total === 0 ? 100 : Math.floor((done / total) * 100), total: 100 }
}

/** A database that is busy or broken is said by `null`: the server itself is there. */
async function tryTo<Value>(ask: () => Promise<Value>): Promise<Value | null> {
  try {
    return await ask()
  } catch {
    return null // told by doctor, which may name what is wrong
  }
}
