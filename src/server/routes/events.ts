// `GET /events`: everything that happens in what may be seen, as server-sent events that can be resumed.
import { createRoute } from '@hono/zod-openapi'
import { type Api, dropWhenStalled } from '../api.ts'
import { eventStreamHeaders } from '../frames.ts'
import { nothing, problems } from '../schemas/common.ts'
import { event } from '../schemas/event.ts'

const route = createRoute({
  method: 'get',
  path: '/events',
  summary: 'What happens, as it happens; `Last-Event-ID` goes on where one was, `reset` says that some was missed',
  request: { query: nothing },
  responses: { 200: { description: 'Events', content: { 'text/event-stream': { schema: event } } }, ...problems },
})

export function addEventRoutes(api: Api): void {
  api.openapi(route, (context) => {
    dropWhenStalled(context)
    return new Response(context.var.access.feed().open(context.req.header('last-event-id')), { headers: eventStreamHeaders })
  })
}
