// The messages of a session: read as a stream, and sent as a prompt whose turn is streamed back.
import { createRoute, z } from '@hono/zod-openapi'
import type { GuardedApp } from '../../guarded-app.ts'
import type { CatalogSession } from '../../model/catalog.ts'
import { AppError } from '../../model/error.ts'
import { renderMessage } from '../../model/render.ts'
import type { Message } from '../../model/session.ts'
import { redactDocument } from '../../redact/document.ts'
import { type Api, dropWhenStalled, present, type RouteOptions } from '../api.ts'
import { formatFor, messagesOf, pageOf, readLast, streamMessages } from '../message-stream.ts'
import { parameters } from '../parameters.ts'
import { problemOf } from '../problem.ts'
import { body, flag, json, list, nothing, problem, problems, sessionId, text, wholeNumber } from '../schemas/common.ts'
import { message } from '../schemas/session.ts'
import { runEvent } from '../schemas/worker.ts'
import { streamTurn } from '../turn-stream.ts'
import { wordsOf } from '../words.ts'

const params = z.object({ id: sessionId })

const readRoute = createRoute({
  method: 'get',
  path: '/session/{id}/message',
  summary: 'Its messages, all roles, in order; redacted. `message_index` of a fork counts these',
  request: {
    params,
    query: parameters({
      cursor: wholeNumber(0, 999_999_999)
        .optional()
        .openapi({ description: 'Index of the first message; `next` of the page before.' }),
      limit: wholeNumber(1, 10_000).optional().openapi({ description: 'Default: all of them, as a stream.' }),
      last: wholeNumber(1, 10_000)
        .optional()
        .openapi({ description: 'The last so many, instead of `cursor` and `limit`; `first` tells where they begin.' }),
      tools: flag.optional().openapi({ description: 'false: tool calls without arguments and output.' }),
    }),
  },
  responses: {
    200: {
      description: 'The messages; a fault half-way is told in `error` (in lines: a last line)',
      content: {
        ...json(
          '',
          z.object({ first: z.number().int(), messages: list(message), next: z.string().optional(), error: problem.optional() }),
        ).content,
        'application/x-ndjson': { schema: message },
      },
    },
    ...problems,
  },
})

const sendRoute = createRoute({
  method: 'post',
  path: '/session/{id}/message',
  summary: 'Give the session a prompt; its turn comes as server-sent events, then `result` (or `error`)',
  request: { params, query: nothing, body: body(parameters({ prompt: text }).openapi('Prompt')) },
  responses: { 200: { description: 'The turn', content: { 'text/event-stream': { schema: runEvent } } }, ...problems },
})

export function addMessageRoutes(api: Api, { redactor, log, heartbeatMs, deeds }: RouteOptions): void {
  api.openapi(readRoute, async (context) => {
    const { guarded } = context.var.access
    const found = await guarded.session(context.req.valid('param').id)
    const { tools = true, ...asked } = context.req.valid('query')
    const format = formatFor(context.req.header('accept'))
    const { first, messages } = await openPage(guarded, found, asked)
    const render = (one: Message) => redactDocument(redactor, renderMessage(tools ? one : withoutCall(one)))
    const stream = await streamMessages(messages, { first, format, render, toError: (error) => problemOf(error, log) })
    dropWhenStalled(context)
    const type = format === 'json' ? 'application/json' : 'application/x-ndjson'
    // A stream has no type of its own for the answer's checker; the test walks real answers over the document instead.
    return new Response(stream, { headers: { 'content-type': type, vary: 'accept' } }) as never
  })

  api.openapi(sendRoute, async (context) => {
    const { guarded } = context.var.access
    const found = await guarded.session(context.req.valid('param').id)
    const { prompt } = context.req.valid('json')
    deeds.take()
    dropWhenStalled(context)
    return streamTurn({
      redactor,
      heartbeatMs,
      toProblem: (error) => problemOf(error, log, wordsOf(context.req)),
      run: (onEvent) => guarded.sendToSession(found, prompt, { onEvent }),
    })
  })
}

interface Asked {
  readonly cursor?: number | undefined
  readonly limit?: number | undefined
  readonly last?: number | undefined
}

/** A page is read from its part of the file where that is possible; all of a session always comes as it is read. */
async function openPage(guarded: GuardedApp, session: CatalogSession, { cursor, limit, last }: Asked) {
  if (last !== undefined) {
    if (cursor !== undefined || limit !== undefined)
      throw new AppError('usage', 'Give `last`, or `cursor` and `limit`, not both.')
    const page = (await guarded.readPage(session, { last })) ?? (await readLast(guarded.readSession(session), last))
    return { first: page.first, messages: pageOf(page) }
  }
  const first = cursor ?? 0
  const page = limit === undefined ? null : await guarded.readPage(session, { from: first, limit })
  const read = () => messagesOf(guarded.readSession(session), { from: first, ...present({ limit }) })
  return { first, messages: page === null ? read() : pageOf(page) }
}

function withoutCall(one: Message): Message {
  return one.tool === undefined ? one : { ...one, tool: { ...one.tool, arguments: null, output: null } }
}
