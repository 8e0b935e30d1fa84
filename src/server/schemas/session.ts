// Sessions, turns, messages, lineage and diffs as the API gives them out: what model/render*.ts make, as schemas.
import { z } from '@hono/zod-openapi'
import type { NodeJson } from '../../model/render.ts'
import { agent, count, list, strings, time } from './common.ts'

const forkKind = z.enum(['native', 'branch', 'prefix', 'seed', 'inferred'])

export const parent = z.object({
  agent,
  session_id: z.string(),
  turn_id: z.string().nullable(),
  turn_number: z.number().nullable(),
  message_id: z.string().nullable(),
  kind: forkKind,
})

export const session = z
  .object({
    agent,
    id: z.string(),
    title: z.string(),
    cwd: z.string().nullable(),
    repo_root: z.string().nullable(),
    branch: z.string().nullable(),
    model: z.string().nullable(),
    created_at: time,
    updated_at: time,
    turns: count,
    messages: count,
    bytes: count,
    path: z.string(),
    live: z.boolean(),
    parent_id: z.string().nullable(),
    fork_point: z.string().nullable(),
    parent: parent.nullable(),
  })
  .openapi('Session')

const notCovered = list(
  z.object({
    path: z.string(),
    reason: z.enum(['too_large', 'unreadable', 'submodule_changes', 'embedded_repository', 'special_file', 'filter_failed']),
  }),
)

/** Other sessions changed files in the same folder while the turn ran. */
const shared = z.object({
  with: strings.openapi({ description: 'Addresses of these sessions.' }),
  files: strings.openapi({ description: 'Changed meanwhile, by whom cannot be told; not among the files of the turn.' }),
})

export const turn = z
  .object({
    number: z.number().int().nullable(),
    id: z.string(),
    address: z.string(),
    prompt: z.string(),
    started_at: time,
    ended_at: time,
    messages: count,
    state: z.enum(['complete', 'interrupted', 'failed', 'running']),
    after_compaction: z.boolean(),
    snapshot: z
      .object({
        tree: z.string().nullable(),
        commit: z.string().optional(),
        added: count,
        removed: count,
        files: strings,
        not_covered: notCovered,
        changes_unknown: z
          .literal(true)
          .optional()
          .openapi({ description: 'The state the turn found was not captured: `files` and the counts say nothing.' }),
        by: z.enum(['hook', 'late', 'watcher']),
        shared: shared.optional(),
      })
      .nullable(),
  })
  .openapi('Turn')

export const message = z
  .object({
    id: z.string(),
    turn_id: z.string(),
    role: z.enum(['user', 'assistant', 'tool', 'system', 'error', 'summary']),
    text: z.string(),
    thinking: z.string().optional(),
    tool: z
      .object({
        name: z.string(),
        arguments: z.unknown(),
        output: z.string().nullable(),
        exit_code: z.number().nullable(),
        failed: z.boolean().nullable(),
        call_id: z.string(),
      })
      .optional(),
    at: time,
  })
  .openapi('Message')

export const node: z.ZodType<NodeJson> = z
  .object({
    session,
    children: z.array(z.lazy(() => node)),
    fork_kind: forkKind.nullable(),
    at_turn: z.number().nullable(),
  })
  .openapi('Node')

const side = z.object({ name: z.string(), tree: z.string(), root: z.string(), not_covered: notCovered })

export const diff = z
  .object({
    from: side,
    to: side,
    files: list(
      z.object({
        path: z.string(),
        status: z.string(),
        from: z.string().optional(),
        added: z.number().nullable(),
        removed: z.number().nullable(),
      }),
    ),
    added: count,
    removed: count,
    patch: z.string(),
    left_out: strings.optional(),
    shared: shared.optional(),
  })
  .openapi('Diff')
