// Plan, fork and proof as the API gives them out, and what a fork is asked for with (BT3).
import { z } from '@hono/zod-openapi'
import { warningCodes } from '../../model/fork.ts'
import { parameters } from '../parameters.ts'
import { agent, count, line, list, orNull, strings, text, turnName } from './common.ts'
import { parent, session, turn } from './session.ts'

const strategy = z.enum(['native', 'prefix', 'seed'])
export const codeMode = z.enum(['turn', 'now', 'head', 'none'])
export const terminal = z.enum(['here', 'tmux', 'wezterm', 'iterm2', 'print', 'headless', 'none'])
const notices = list(z.object({ code: z.string(), message: z.string() }))
export const command = z.object({ argv: strings, cwd: z.string() })

/** Every one there is: a code that is none is a mistake of the caller. */
export const warningCode = z.enum(warningCodes)

export const plan = z
  .object({
    id: z.string().openapi({ description: 'Of the fork to be made; `plan_id` executes this very plan.' }),
    agent,
    model: z.string().nullable(),
    title: z.string(),
    parent,
    turn: orNull(turn),
    kept_turns: count,
    dropped_turns: count,
    strategy,
    strategy_reason: z.string(),
    seed: z
      .object({ dropped_messages: count, dropped_characters: count })
      .nullable()
      .openapi({ description: "Of strategy seed: how much text of the source agent's harness is left out." }),
    tokens: z.object({
      estimate: z.number(),
      source: z.enum(['observed', 'mixed', 'tokenizer']),
      context_window: z.number().nullable(),
      context_window_source: z.enum(['agent', 'settings', 'assumed']).nullable(),
      percent: z.number().nullable(),
    }),
    cost: z.object({ cached: z.number().nullable(), uncached: z.number(), currency: z.string() }).nullable(),
    code: z.object({
      mode: codeMode,
      commit: z.string().nullable(),
      dirty_files: strings,
      untracked: strings,
      left_behind: strings,
      included: strings.openapi({ description: 'Ignored files that `.worktreeinclude` names: copied as they are now.' }),
      submodules: strings.openapi({ description: 'Submodules that are checked out too, from where the source has them.' }),
      from: z
        .object({
          kind: z.enum(['snapshot', 'late', 'reconstructed', 'nearest_snapshot', 'nearest_commit']),
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
    send: z.boolean().optional().openapi({ description: 'Whether `pending_prompt` is sent; else it waits.' }),
    setup: z
      .object({ command: z.string(), timeout_seconds: z.number() })
      .nullable()
      .openapi({ description: "The user's set-up command for this repository, run in the new workspace." }),
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

export const notes = strings
  .optional()
  .openapi({ description: 'How the workspace differs from what was planned; absent where it does not.' })

/** Of a plan with a set-up command. That it failed does not undo the fork. */
export const setup = z
  .object({
    command: z.string(),
    exit_code: z.number().nullable(),
    timed_out: z.boolean(),
    seconds: z.number(),
    output: strings.openapi({ description: 'The last lines it printed.' }),
  })
  .openapi('Setup')

/** `session` is null only while the agent has not made the child's file. */
export const forkAnswer = z
  .object({ session: orNull(session), fork, plan, proof, notes, setup: setup.optional() })
  .openapi('ForkAnswer')

export const codeAt = turnName
  .optional()
  .openapi({ description: 'The code as this turn left it, instead of that of the turn forked at.' })

export const forkRequest = parameters({
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
  code_at: codeAt,
  workspace: z.boolean().optional().openapi({ description: 'false: no workspace, the same as `code: none`.' }),
  branch: line(200).min(1).optional(),
  to_agent: agent.optional(),
  strategy: z.enum(['auto', 'native', 'prefix', 'seed']).optional(),
  prompt: text.optional().openapi({ description: 'Replaces the pending prompt.' }),
  send: z.boolean().optional().openapi({
    description: 'true: `fork.command` sends the pending prompt. Default: it does not, and `fork.pending_prompt` holds it.',
  }),
  allow_cut: z.boolean().optional(),
  accept: list(warningCode).optional().openapi({ description: 'Warnings of the plan that are accepted.' }),
  plan_id: line(64).min(1).optional().openapi({
    description:
      'Execute the plan with this `id`, as it was shown; only `accept` goes with it. 409 with a new plan where it no longer holds.',
  }),
  dry_run: z.boolean().optional().openapi({ description: 'Only the plan; nothing is done.' }),
}).openapi('ForkRequest')
