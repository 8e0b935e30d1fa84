// What a tool of ours is: its schemas, its hints for clients, and one call on the guarded app.
import type { z } from 'zod'
import type { GuardedApp } from '../../guarded-app.ts'
import type { Redactor } from '../../redact/redact.ts'
import type { Caller } from './caller.ts'

/** What one call is given. */
export interface Call {
  readonly guarded: GuardedApp
  readonly redactor: Redactor
  /** Who is calling, looked up when first asked for. */
  caller(): Promise<Caller>
  /** Nobody waits for the answer any more. Over HTTP it also comes after a normal end: never hand it to what must go on. */
  readonly signal: AbortSignal
  /** Tells who waits how far it is; nothing happens where the client did not ask for it. */
  progress(message: string, done?: number, total?: number): Promise<void>
  readonly surface: 'stdio' | 'http'
}

export interface Answer {
  /** All a model sees where the client knows structured content, so it must say everything (headless-and-mcp C.4). */
  readonly structured: Readonly<Record<string, unknown>>
  /** One or two lines for clients that show text only. */
  readonly text: string
}

export interface Tool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly input: z.ZodObject
  readonly output: z.ZodObject
  readonly annotations: {
    readonly readOnlyHint: boolean
    readonly destructiveHint: boolean
    readonly idempotentHint: boolean
    readonly openWorldHint: boolean
  }
  /** Clients defer tools they do not need at once; this one should be there from the start. */
  readonly alwaysLoad?: boolean
  run(args: never, call: Call): Promise<Answer>
}

/** Ties the type of `run`'s arguments to the input schema. */
export function defineTool<Input extends z.ZodObject>(
  tool: Omit<Tool, 'input' | 'run'> & { readonly input: Input; run(args: z.output<Input>, call: Call): Promise<Answer> },
): Tool {
  return tool
}

/** Looks and touches nothing. Codex then asks nobody for permission (0.166). */
export const reading = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false } as const

/** Makes something new beside what is there; nothing is changed or deleted. */
export const adding = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false } as const

/** Lets an agent work, which may change anything it is allowed to. */
export const working = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true } as const
