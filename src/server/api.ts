// What every route is given, and how it answers: one call on the guarded app, rendered, without secrets.

import { createHash } from 'node:crypto'
import type { HttpBindings } from '@hono/node-server'
import type { OpenAPIHono } from '@hono/zod-openapi'
import type { Context, TypedResponse } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { JSONParsed } from 'hono/utils/types'
import type { GuardedApp } from '../guarded-app.ts'
import type { Log } from '../lib/log.ts'
import { safeJson } from '../lib/safe-json.ts'
import { redactDocument } from '../redact/document.ts'
import type { Redactor } from '../redact/redact.ts'
import type { EventFeed } from './events.ts'
import type { Limit } from './limits.ts'
import type { Access } from './tokens/access.ts'

/** In process there is no socket. */
export interface ApiEnv {
  readonly Bindings: Partial<HttpBindings>
  /** Of every route but /health. */
  readonly Variables: { readonly access: RouteAccess }
}

/** Who asks, and the app as they get it. */
export interface RouteAccess extends Access {
  readonly guarded: GuardedApp
  /** The events of what they may see. */
  readonly feed: () => EventFeed
}

export type Api = OpenAPIHono<ApiEnv>

export interface RouteOptions {
  readonly redactor: Redactor
  readonly answer: Answer
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

/**
 * Rendered, without secrets, in JSON that can be shown. A client that has this very answer already is told so (304).
 */
export type Answer = <Document, Status extends ContentfulStatusCode>(
  context: Context<ApiEnv>,
  document: Document,
  status: Status,
) => Promise<Response & TypedResponse<JSONParsed<Document>, Status, 'json'>>

export function createAnswer(redactor: Redactor): Answer {
  return async <Document, Status extends ContentfulStatusCode>(context: Context<ApiEnv>, document: Document, status: Status) => {
    const text = safeJson(await redactDocument(redactor, document))
    // The text is the document: its type is the answer's.
    type Typed = Response & TypedResponse<JSONParsed<Document>, Status, 'json'>
    if (context.req.method !== 'GET')
      return context.body(text, status, { 'content-type': 'application/json' }) as unknown as Typed
    const etag = `W/"${createHash('sha1').update(text).digest('base64url')}"`
    const known = context.req.header('if-none-match')?.split(/\s*,\s*/) ?? []
    const headers = { etag, 'cache-control': 'private, no-cache' }
    if (known.includes(etag)) return context.body(null, 304, headers) as unknown as Typed
    return context.body(text, status, { 'content-type': 'application/json', ...headers }) as unknown as Typed
  }
}

/** Without the fields that are not there: what is absent in a request stays absent. */
export function present<Fields extends Record<string, unknown>>(
  fields: Fields,
): { [Key in keyof Fields]?: Exclude<Fields[Key], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Key in keyof Fields]?: Exclude<Fields[Key], undefined>
  }
}
