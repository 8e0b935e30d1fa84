// The answer to a search (SF3) and the state of the index.
import { z } from '@hono/zod-openapi'
import { agent, count, list, strings, time } from './common.ts'

export const indexState = z
  .object({
    complete: z.boolean(),
    running: z.boolean(),
    sessions: count,
    indexed_sessions: count,
    turns: count,
    chunks: count,
    model: z.string(),
    embedded: z.number(),
  })
  .openapi('IndexState')

const result = z
  .object({
    rank: z.number().int().min(1),
    score: z.number(),
    session_id: z.string(),
    agent_type: agent,
    title: z.string(),
    working_directory: z.string().nullable(),
    repo_root: z.string().nullable(),
    date: time,
    turn: z.string(),
    snippet: z.string(),
    snippet_marks: list(z.tuple([z.number(), z.number()]).readonly()),
    source_path: z.string(),
    jsonl_path: z.string(),
    can_fork: z.boolean(),
    touched: z.enum(['edited', 'read']).optional(),
    warning: z.string().optional(),
    explain: z.object({ parts: z.record(z.string(), z.number()).readonly(), matched: strings }).optional(),
  })
  .openapi('SearchResult')

export const searchAnswer = z
  .object({
    query: z.string(),
    engine: z.enum(['builtin', 'qmd']),
    mode: z.string(),
    results: list(result),
    index: indexState,
    notes: strings.optional(),
    qmd_error: z.string().optional(),
  })
  .openapi('SearchAnswer')
