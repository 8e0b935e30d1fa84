// What every schema is made of: ids that are checked before they touch anything, times, lists, problem documents.
import { z } from '@hono/zod-openapi'
import { agentIds } from '../../model/session.ts'
import { parameters } from '../parameters.ts'

export const agent = z.enum(agentIds)
export const time = z.string().nullable().openapi({ format: 'date-time' })
export const list = <Item extends z.ZodType>(item: Item) => z.array(item).readonly()
/** `nullable()` of a named schema comes out as "that and null", which nothing is. */
export const orNull = <Schema extends z.ZodType>(schema: Schema) => z.union([schema, z.null()])
export const strings = list(z.string())
export const count = z.number().int().min(0)

/** A full id, optionally with its agent before it. No dots in a row, no slash, no control character: it may become part of a path. */
export const sessionId = z
  .string()
  .regex(/^(?:(?:claude|codex):)?[A-Za-z0-9](?:[A-Za-z0-9_-]|\.(?!\.)){0,127}$/, 'is no session id')
  .openapi({ example: 'claude:60309e1e-84b8-4be1-9d3f-0d43f7b4e6a7' })

/** A worker's id, name or session id. */
export const workerId = z
  .string()
  .regex(/^[\p{L}\p{N}](?:[\p{L}\p{N} _:-]|\.(?!\.)){0,127}$/u, 'is no worker')
  .openapi({ example: 'quiet-otter' })

/** How a turn is named within its session: `12` (or the number itself), `-2`, `last`, an id, `m:<message id>`. */
export const turnName = z
  .union([z.string().regex(/^(?:m:)?[\w.-]{1,200}$/, 'is no turn'), z.number().int()], 'is no turn')
  .transform(String)

/** One line without control characters. */
export const line = (max: number) =>
  z
    .string()
    .max(max)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
    .regex(/^[^\u0000-\u001f\u007f-\u009f]*$/, 'must be one line without control characters')

/** An absolute path; whether it may be looked at is decided by the guarded app. */
export const path = line(4096).regex(/^\//, 'must be an absolute path')

/** Any text a person may write. */
export const text = z
  .string()
  .min(1)
  .refine((value) => !value.includes('\0'), 'must not hold NUL')

/** `?tools=false`. */
export const flag = z.enum(['true', 'false']).transform((word) => word === 'true')

export const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(min).max(max))
    .openapi({ type: 'integer', minimum: min, maximum: max })

export const problem = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.number().int(),
    detail: z.string(),
    code: z.string(),
    hint: z.string(),
    details: z.unknown().optional(),
  })
  .openapi('Problem')

/** Every route may answer with a problem document. */
export const problems = {
  default: { description: 'A problem (RFC 9457)', content: { 'application/problem+json': { schema: problem } } },
} as const

/** Of a route without query parameters: one that is given is refused by its name. */
export const nothing = parameters({})

export const json = <Schema extends z.ZodType>(description: string, schema: Schema) => ({
  description,
  content: { 'application/json': { schema } },
})

export const body = <Schema extends z.ZodType>(schema: Schema) => ({
  required: true,
  content: { 'application/json': { schema } },
})
