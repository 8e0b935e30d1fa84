// What every route is given, and how it answers: one call on the guarded app, rendered, without secrets.

import { createHash } from 'node:crypto'
import type { HttpBindings } from '@hono/node-server'
import type { OpenAPIHono } from '@hono/zod-openapi'
import type { Context } from 'hono'
import type { GuardedApp } from '../guarded-app.ts'
import type { Log } from '../lib/log.ts'
import type { Redactor } from '../redact/redact.ts'
import type { Limit } from './limits.ts'

/** In process there is no socket. */
export interface ApiEnv {
  readonly Bindings: Partial<HttpBindings>
}

export type Api = OpenAPIHono<ApiEnv>

export interface RouteOptions {
  readonly guarded: GuardedApp
  readonly redactor: Redactor
  readonly log: Log
  readonly heartbeatMs: number
  /** For what makes or starts something. */
  readonly deeds: Limit
}

/** A client that has a stream and takes nothing of it for so long is gone. */
const stallMs = 60_000

/** Closes the connection when nothing gets through any more: dead and stuck clients hold nothing for ever. */
export function dropWhenStalled(context: Context<ApiEnv>): void {
  const outgoing = context.env?.outgoing
  outgoing?.setTimeout(stallMs, () => void outgoing.destroy())
}

/** Lets a client that has this answer already say so: `etag` in http.ts then answers 304. */
export function tag(context: Context<ApiEnv>, document: unknown): void {
  const hash = createHash('sha1').update(JSON.stringify(document)).digest('base64url').slice(0, 20)
  context.header('etag', `W/"${hash}"`)
  context.header('cache-control', 'private, no-cache')
}

/** Without the fields that are not there: what is absent in a request stays absent. */
export function present<Fields extends Record<string, unknown>>(
  fields: Fields,
): { [Key in keyof Fields]?: Exclude<Fields[Key], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Key in keyof Fields]?: Exclude<Fields[Key], undefined>
  }
}
