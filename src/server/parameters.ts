// The parameters of a route or a tool, and what a request is told when they are wrong: each fault names the parameter.
import { type ZodError, z } from 'zod'
import { findNearest } from '../lib/nearest.ts'

/** A closed object: an unknown name is refused, with the nearest known ones; so is a NUL in any text, which may become a path or an argument. */
export function parameters<Shape extends z.ZodRawShape>(shape: Shape) {
  const names = Object.keys(shape)
  return z
    .strictObject(shape, {
      error: (issue) =>
        issue.code === 'unrecognized_keys' ? issue.keys.map((key) => describeUnknown(key, names)).join(' ') : undefined,
    })
    .superRefine((value, context) => {
      for (const path of findNul(value))
        context.addIssue({ code: 'custom', path, message: 'must not contain a NUL character', continue: false })
    })
}

/** Where texts with a NUL are. */
function findNul(value: unknown, path: readonly string[] = []): string[][] {
  if (typeof value === 'string') return value.includes('\0') ? [[...path]] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, each]) => (key.includes('\0') ? [[...path]] : findNul(each, [...path, key])))
}

function describeUnknown(name: string, names: readonly string[]): string {
  const near = findNearest(name, names).map((one) => `\`${one}\``)
  if (near.length > 0) return `There is no parameter \`${name}\`. Did you mean ${near.join(' or ')}?`
  const known = names.length === 0 ? 'There are none.' : `There are: ${names.join(', ')}.`
  return `There is no parameter \`${name}\`. ${known}`
}

export interface Fault {
  /** The path of the parameter, as `workers.0.name`; empty where the request itself is wrong. */
  readonly path: string
  readonly message: string
}

/** What is wrong with a request, in words; ten faults at most. */
export function describeFaults(error: ZodError): readonly Fault[] {
  return error.issues.slice(0, 10).map((issue) => {
    const path = issue.path.map(String).join('.')
    const isMissing = issue.code === 'invalid_type' && issue.message.endsWith('received undefined') && path !== ''
    const message = isMissing ? 'is missing' : issue.message.replace(/^Invalid input: /, '')
    return { path, message: issue.code === 'invalid_value' ? `${message}${nearestValue(issue)}` : message }
  })
}

/** Zod keeps the value that was given only where it is told to (`reportInput`). */
function nearestValue({ input, values }: z.core.$ZodIssueInvalidValue): string {
  if (typeof input !== 'string') return ''
  const near = findNearest(input, values.map(String))
  return near.length === 0 ? '' : `. Did you mean ${near.map((one) => `"${one}"`).join(' or ')}?`
}
