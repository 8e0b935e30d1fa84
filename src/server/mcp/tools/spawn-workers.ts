// `spawn_workers`: agents at work side by side, each as asked (SF8). One that fails says why; the others are started all the same.
import { z } from 'zod'
import { AppError } from '../../../model/error.ts'
import { errorFor } from '../../../model/program-words.ts'
import { renderError } from '../../../model/render.ts'
import { renderMade } from '../../../model/render-code.ts'
import type { SpawnedWorker, WorkerRequest } from '../../../model/worker.ts'
import { parameters } from '../../parameters.ts'
import { type Caller, scopeOf } from '../caller.ts'
import { toWorker } from '../render.ts'
import { safeValue } from '../safe-text.ts'
import { accept, agentType, atTurn, code, codeAt, line, projectPath, prompt, session, terminal, workerShape } from '../schemas.ts'
import { shorten } from '../size.ts'
import { type Call, defineTool, working } from '../tool.ts'
import { checkVariables } from '../variables.ts'
import { whereItLives } from '../worker-notes.ts'

const config = parameters({
  agent_type: agentType,
  name: line('Friendly name, unique among workers').optional(),
  project_path: projectPath,
  prompt: prompt.optional().describe('First prompt'),
  resume_session_id: session.optional().describe('Session to go on with; with fork_session: to fork'),
  fork_session: z.boolean().default(false).describe('Fork resume_session_id instead of going on in place'),
  continue_session: z
    .boolean()
    .default(false)
    .describe('Go on with the newest session there, in place; only without resume_session_id'),
  at_turn: atTurn,
  workspace: z.boolean().optional().describe('A git worktree of its own; default for new sessions and forks'),
  code,
  code_at: codeAt,
  terminal,
  command: z
    .string()
    .min(1)
    .max(10_000)
    .optional()
    .describe("A command line of the person's own instead of the agent's, run by their shell in the pane"),
  env: z.record(z.string().max(200), z.string().max(32_000)).optional().describe('Variables to set for it'),
  accept,
})

type Config = z.output<typeof config>

const mostWorkers = 10
const atOnce = 3
/** Codex gives a tool 300 s (0.166): whoever is not ready by then is asked for with list_workers. */
const patienceMs = 200_000

export const spawnWorkers = defineTool({
  name: 'spawn_workers',
  title: 'Start agents',
  description:
    'Starts one or more agents (new session, a fork of one, or an existing one in place), each in its own workspace and terminal pane unless told otherwise, and waits until they are ready.',
  input: parameters({ workers: z.array(config).min(1).max(mostWorkers) }),
  output: z.looseObject({
    workers: z.array(
      z.looseObject({
        index: z.number(),
        worker: workerShape.optional(),
        note: z.string().optional(),
        error: z.looseObject({ code: z.string(), message: z.string(), hint: z.string() }).optional(),
      }),
    ),
  }),
  annotations: working,
  async run({ workers }, call) {
    const caller = await call.caller()
    const limit = AbortSignal.any([call.signal, AbortSignal.timeout(patienceMs)])
    const rows: Readonly<Record<string, unknown>>[] = []
    const queue = [...workers.entries()]
    const startNext = async (): Promise<void> => {
      for (let next = queue.shift(); next !== undefined && !call.signal.aborted; next = queue.shift()) {
        const [index, wanted] = next
        rows[index] = { index, ...(await startOne(call, caller, wanted, limit)) }
        await call.progress(`${rows.filter(Boolean).length} of ${workers.length} started`, undefined, workers.length)
      }
    }
    await Promise.all(Array.from({ length: atOnce }, startNext))
    call.signal.throwIfAborted()
    const failed = rows.filter((row) => 'error' in row).length
    return { structured: { workers: rows }, text: `${rows.length - failed} started, ${failed} failed.` }
  },
})

async function startOne(call: Call, caller: Caller, wanted: Config, signal: AbortSignal) {
  try {
    const scope = await scopeOf(call.guarded, caller, wanted.project_path)
    const worker: SpawnedWorker = await call.guarded.spawnWorker(toRequest(wanted, scope), { signal })
    const { command: _, settings: __, ...brief } = (await toWorker(worker, call.redactor)) as Readonly<Record<string, unknown>>
    const made = shorten(await safeValue(call.redactor, renderMade(worker))) as object
    return { worker: brief, ...made, note: whereItLives(call, worker) }
  } catch (thrown) {
    if (!(thrown instanceof AppError)) throw thrown
    const open = (thrown.details as { confirm?: unknown } | undefined)?.confirm
    return shorten({
      ...renderError({ ...errorFor('mcp', thrown), details: undefined }),
      ...(open === undefined ? {} : { confirm: open }),
    }) as object
  }
}

function toRequest(wanted: Config, scope: string): WorkerRequest {
  const { resume_session_id: resume, terminal: where, env, command } = wanted
  if (wanted.continue_session && resume !== undefined) {
    throw new AppError(
      'usage',
      'continue_session goes on with the newest session: leave resume_session_id out, or continue_session.',
    )
  }
  if (wanted.fork_session && resume === undefined)
    throw new AppError('usage', 'fork_session needs resume_session_id: which session?')
  checkVariables(env ?? {})
  return {
    agent: wanted.agent_type,
    projectPath: scope,
    ...(wanted.name === undefined ? {} : { name: wanted.name }),
    ...(wanted.prompt === undefined ? {} : { prompt: wanted.prompt }),
    ...(resume === undefined ? {} : { resume, fork: wanted.fork_session }),
    ...(wanted.continue_session ? { continue: true } : {}),
    ...(wanted.at_turn === undefined ? {} : { atTurn: wanted.at_turn }),
    ...(wanted.workspace === undefined ? {} : { workspace: wanted.workspace }),
    ...(wanted.code === undefined ? {} : { code: wanted.code }),
    ...(wanted.code_at === undefined ? {} : { codeAt: wanted.code_at }),
    ...(where === undefined ? {} : { terminal: where }),
    ...(env === undefined && command === undefined ? {} : { settings: { ...(env && { env }), ...(command && { command }) } }),
    ...(wanted.accept === undefined ? {} : { accept: wanted.accept }),
  }
}
