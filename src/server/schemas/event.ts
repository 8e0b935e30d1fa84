// What stands in the data of one server-sent event.
import { z } from '@hono/zod-openapi'
import { time } from './common.ts'

export const eventTypes = [
  'session.updated',
  'turn.started',
  'turn.completed',
  'message.delta',
  'permission.requested',
  'permission.resolved',
  'worker.created',
  'worker.ready',
  'worker.exited',
  'fork.created',
  'capture.done',
  'index.progress',
] as const

export const event = z
  .object({
    id: z.number().int().openapi({ description: 'Contiguous within one run of the server.' }),
    type: z.enum(eventTypes),
    at: time,
    data: z.record(z.string(), z.unknown()),
  })
  .openapi('Event')
