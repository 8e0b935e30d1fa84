// Workers as the API gives them out, what they are asked for with, and the events of a turn.
import { z } from '@hono/zod-openapi'
import { parameters } from '../parameters.ts'
import { agent, count, line, list, orNull, path, sessionId, strings, text, time, turnName } from './common.ts'
import { codeAt, codeMode, command, terminal, warningCode } from './fork.ts'

const policy = z.enum(['ask', 'accept_edits', 'allow_list', 'deny'])
const verdict = z.enum(['allow', 'allow_session', 'deny', 'abort'])
const outcome = z.enum(['complete', 'interrupted', 'failed'])

const question = z
  .object({
    key: z.string().openapi({ description: 'What its answer is given under in `answers`; its text does as well.' }),
    text: z.string(),
    options: list(z.object({ label: z.string(), description: z.string().nullable() })),
    multiple: z.boolean().openapi({ description: 'Several options may be given, joined by commas.' }),
    free_text: z.boolean().openapi({ description: 'Own words are taken too, not only one of the options.' }),
    required: z.boolean(),
    secret: z.boolean(),
  })
  .openapi('Question')

const permission = z
  .object({
    id: z.string(),
    request_id: z.string().openapi({ description: 'The same as `id`: what an answer names.' }),
    tool: z.string(),
    kind: z.enum(['command', 'edit', 'tool', 'question']),
    summary: z.string(),
    arguments: z.unknown(),
    call_id: z.string().nullable(),
    can_remember: z.boolean(),
    questions: list(question).openapi({ description: 'Of kind `question`: `allow` needs an answer to each.' }),
  })
  .openapi('PermissionRequest')

export const worker = z
  .object({
    id: z.string(),
    name: z.string(),
    agent,
    kind: z.enum(['headless', 'terminal']),
    session_id: z.string().nullable(),
    state: z.enum(['starting', 'running', 'idle', 'waiting', 'resumable', 'stopped', 'exited', 'lost']),
    permission: orNull(permission),
    exit_status: z.number().nullable(),
    exit_signal: z.string().nullable(),
    cwd: z.string(),
    workspace: z.object({ path: z.string(), branch: z.string() }).nullable(),
    terminal: z.enum(['tmux', 'wezterm', 'iterm2', 'print']).nullable(),
    terminal_id: z.string().nullable(),
    pid: z.number().nullable(),
    command,
    settings: z.object({
      model: z.string().nullable(),
      env: strings.openapi({ description: 'Names only: values are never shown.' }),
      mcp_config: z.string().nullable(),
      command: z.string().nullable(),
      policy,
      allow: strings,
      ready_timeout_ms: z.number(),
      response_timeout_ms: z.number(),
      history: z.boolean(),
    }),
    forked_from: z.string().nullable(),
    created_at: time,
    ended_at: time,
    turn_cut_off: z.boolean(),
    persistent: z.boolean().openapi({ description: 'It goes on when this server ends.' }),
    last_input: z.string().nullable().openapi({ description: 'The beginning of the last prompt it was given.' }),
    error: z.string().nullable().openapi({ description: "Why its last turn failed or how it ended, in the agent's words." }),
  })
  .openapi('Worker')

export const sendAnswer = z
  .object({
    worker,
    delivery: z.enum(['confirmed', 'unconfirmed']),
    answer: z.string().nullable(),
    outcome: z.enum(['complete', 'interrupted', 'failed', 'running']),
    error: z.string().nullable().openapi({ description: 'Of outcome `failed`: why.' }),
  })
  .openapi('SendAnswer')

/** Where a worker opens; `headless`: without a terminal. */
const workerTerminal = terminal.exclude(['here', 'none'])

const milliseconds = z.number().int().min(1).max(86_400_000)

export const workerRequest = parameters({
  agent,
  kind: z.enum(['headless', 'terminal']).optional(),
  name: line(64).min(1).optional(),
  project_path: path,
  prompt: text.optional(),
  resume: sessionId.optional().openapi({ description: 'The session to resume, or with `fork` to fork.' }),
  fork: z.boolean().optional(),
  continue: z.boolean().optional().openapi({ description: 'The newest session of the folder.' }),
  at_turn: turnName.optional(),
  workspace: z.boolean().optional(),
  code: codeMode.optional(),
  code_at: codeAt,
  title: line(500).min(1).optional(),
  terminal: workerTerminal.optional(),
  accept: list(warningCode).optional(),
  settings: parameters(
    z
      .object({
        model: line(200).min(1),
        env: z.record(
          z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, 'is not the name of a variable'),
          z.string().max(32_768),
        ),
        mcp_config: path,
        command: z.string().min(1).max(16_384),
        policy,
        allow: list(line(500)),
        ready_timeout_ms: milliseconds,
        response_timeout_ms: milliseconds,
        history: z.boolean(),
      })
      .partial().shape,
  ).optional(),
}).openapi('WorkerRequest')

export const forkWorkerRequest = parameters({
  new_id: line(64).min(1).optional().openapi({ description: 'Name of the new worker; refused when taken.' }),
  workspace: z.boolean().optional().openapi({ description: 'false: in the folder of its source; default: in one of its own.' }),
  code: codeMode.optional().openapi({ description: 'Default: that of `at_turn`; without one, as it is now.' }),
  code_at: codeAt,
  at_turn: turnName.optional(),
  prompt: text.optional().openapi({ description: 'Put into the composer of its pane, unless `send` is true.' }),
  send: z.boolean().optional().openapi({ description: 'Send the prompt at once; default: false.' }),
  terminal: workerTerminal.optional(),
  accept: list(warningCode).optional(),
  plan_id: line(64).min(1).optional().openapi({ description: 'Execute this plan, which was shown before, and no other.' }),
  dry_run: z.boolean().optional().openapi({ description: 'Answers the plan and makes nothing.' }),
}).openapi('ForkWorkerRequest')

export const sendRequest = parameters({
  prompt: text,
  wait: z.boolean().optional().openapi({ description: 'Answer when the turn has ended; default: when it was taken.' }),
  timeout_ms: milliseconds.optional().openapi({ description: 'How long to wait for that; then the turn goes on.' }),
}).openapi('SendRequest')

export const permissionAnswer = parameters({
  request_id: z.string().min(1).max(300),
  decision: verdict,
  reason: z.string().max(10_000).optional(),
  answers: z.record(z.string().max(10_000), z.string().max(100_000)).optional().openapi({
    description: 'To each question of `permission.questions`, by its key or text: the label of an option, or own words.',
  }),
}).openapi('PermissionAnswer')

const kind = <Kind extends string>(name: Kind) => z.literal(name)

export const runEvent = z
  .discriminatedUnion('kind', [
    z.object({ kind: kind('started'), session_id: z.string(), turn_id: z.string().nullable(), model: z.string().nullable() }),
    z.object({ kind: kind('text'), delta: z.string() }),
    z.object({ kind: kind('thinking'), delta: z.string() }),
    z.object({ kind: kind('message'), message_id: z.string().nullable(), text: z.string() }),
    z.object({ kind: kind('tool_call'), call_id: z.string(), tool: z.string(), arguments: z.unknown() }),
    z.object({ kind: kind('tool_output'), call_id: z.string(), delta: z.string() }),
    z.object({
      kind: kind('tool_result'),
      call_id: z.string(),
      output: z.string(),
      exit_code: z.number().nullable(),
      failed: z.boolean(),
    }),
    z.object({ kind: kind('permission'), request: permission }),
    z.object({ kind: kind('permission_resolved'), request_id: z.string(), verdict: verdict.nullable() }),
    z.object({
      kind: kind('usage'),
      usage: z.object({ input_tokens: count, cached_input_tokens: count, output_tokens: count }),
    }),
    z.object({ kind: kind('notice'), text: z.string() }),
    z.object({ kind: kind('end'), outcome, error: z.string().nullable() }),
  ])
  .openapi('RunEvent')
