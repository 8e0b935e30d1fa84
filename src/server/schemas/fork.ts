// Plan, fork and proof as the API gives them out, and what a fork is asked for with (BT3).
import { z } from '@hono/zod-openapi'
import { agent, count, line, list, orNull, strings, text, turnName } from './common.ts'
import { parent, session, turn } from './session.ts'

const strategy = z.enum(['native', 'prefix', 'seed'])
export const codeMode = z.enum(['turn', 'now', 'head', 'none'])
export const terminal = z.enum(['here', 'tmux', 'wezterm', 'iterm2', 'print', 'none'])
const notices = list(z.object({ code: z.string(), message: z.string() }))
export const command = z.object({ argv: strings, cwd: z.string() })

/** Every one there is: a code that is none is a mistake of the caller. */
export const warningCode = z.enum([
  'dirty',
  'git_operation',
  'context_high',
  'context_over',
  'compaction_crossed',
  'newer_turns',
  'source_busy',
  'submodules',
  'lfs',
  'left_behind',
  'transcript_cut',
  'source_archived',
  'code_elsewhere',
  'mid_turn',
  'no_price',
  'prompt_long',
  'workspace',
  'code_late',
  'code_reconstructed',
  'code_approximate',
])

export const plan = z
  .object({
    agent,
    model: z.string().nullable(),
    title: z.string(),
    parent,
    turn: orNull(turn),
    kept_turns: count,
    dropped_turns: count,
    strategy,
    strategy_reason: z.string(),
    tokens: z.object({
      estimate: z.number(),
      source: z.enum(['observed', 'tokenizer']),
      context_window: z.number().nullable(),
      percent: z.number().nullable(),
    }),
    cost: z.object({ cached: z.number(), uncached: z.number(), currency: z.string() }).nullable(),
    code: z.object({
      mode: codeMode,
      commit: z.string().nullable(),
      dirty_files: strings,
      untracked: strings,
      left_behind: strings,
      from: z
        .object({
          kind: z.enum(['snapshot', 'late', 'reconstructed', 'nearest_commit']),
          turn_id: z.string().nullable(),
          turn_number: z.number().nullable(),
          moment: z.enum(['start', 'end']),
          tree: z.string().nullable(),
        })
        .optional(),
    }),
    workspace: z.object({ path: z.string(), branch: z.string() }).nullable(),
    cwd: z.string(),
    pending_prompt: z.string().optional(),
    terminal,
    warnings: notices,
    confirm: strings,
    blockers: notices,
    steps: strings,
  })
  .openapi('Plan')

const fork = z
  .object({
    id: z.string(),
    agent,
    session_id: z.string(),
    strategy,
    title: z.string(),
    file: z.string().nullable(),
    parent,
    workspace: z.object({ path: z.string(), branch: z.string(), base_commit: z.string().nullable() }).nullable(),
    command,
    pending_prompt: z.string().optional(),
    terminal_id: z.string().optional(),
  })
  .openapi('Fork')

const proof = z
  .object({
    source_unchanged: z.boolean(),
    prefix_verified: z.boolean().nullable(),
    cwd_verified: z.boolean(),
    details: strings,
  })
  .openapi('Proof')

/** `session` is null only while the agent has not made the child's file. */
export const forkAnswer = z.object({ session: orNull(session), fork, plan, proof }).openapi('ForkAnswer')

export const forkRequest = z
  .strictObject({
    message_id: z
      .string()
      .min(1)
      .max(300)
      .optional()
      .openapi({ description: 'Fork after this message; before it, if it is a prompt.' }),
    message_index: count.optional().openapi({ description: '0-based position in GET /session/{id}/message, all roles.' }),
    at_turn: turnName.optional().openapi({ description: 'Fork after this turn: 12, -2, last, or its id.' }),
    before_turn: turnName.optional().openapi({ description: 'Try this turn again: ends before it and carries its prompt.' }),
    title: line(500).min(1).optional(),
    code: codeMode.optional(),
    workspace: z.boolean().optional().openapi({ description: 'false: no workspace, the same as `code: none`.' }),
    branch: line(200).min(1).optional(),
    to_agent: agent.optional(),
    strategy: z.enum(['auto', 'native', 'prefix', 'seed']).optional(),
    prompt: text.optional().openapi({ description: 'Replaces the pending prompt.' }),
    allow_cut: z.boolean().optional(),
    accept: list(warningCode).optional().openapi({ description: 'Warnings of the plan that are accepted.' }),
    dry_run: z.boolean().optional().openapi({ description: 'Only the plan; nothing is done.' }),
  })
  .openapi('ForkRequest')
