// One turn of Claude Code that can do nothing, by flags that were tried on 2.1.197 and 2.1.325 against a model that calls every
// tool it knows. `--tools ''` alone leaves the tools of MCP servers, and hooks; files named with `@` are read by the CLI itself.
import { appendFileSync, existsSync, mkdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { ExecResult } from '../../lib/exec.ts'
import { createExecGroup } from '../../lib/exec-group.ts'
import { isObject } from '../../lib/jsonl.ts'
import { anySize, readRegularText } from '../../lib/regular-file.ts'
import { AppError } from '../../model/error.ts'
import type { AgentEnv } from '../agent-env.ts'
import type { AgentInert, SeededSession, SeedRequest } from '../inert.ts'
import { innerVars } from '../outer-agent.ts'
import { folderNameOf } from './folder-name.ts'
import { projectsFolder } from './folders.ts'

export const claudeInert: AgentInert = { seed }

const seedTimeoutMs = 10 * 60_000

const inertFlags = [
  '-p',
  '--output-format=json',
  '--tools',
  '',
  '--strict-mcp-config',
  '--settings={"disableAllHooks":true}',
  '--permission-mode=dontAsk',
  '--max-turns=1',
]

/** 2.1.325 keeps the system prompt of a session's first turn, here one without tools, unless told not to. 2.1.197 has no such option. */
const noSnapshot = ['--system-prompt-snapshot', 'off']

async function seed(env: AgentEnv, request: SeedRequest): Promise<SeededSession> {
  const { promptPath, sessionId, runIn, model } = request
  const flags = [
    ...inertFlags,
    `--session-id=${sessionId}`,
    '--disable-slash-commands',
    ...(model === null ? [] : [`--model=${model}`]),
  ]
  const folders = [runIn, request.cwd].map((folder) => join(projectsFolder(env), folderNameOf(folder)))
  for (const folder of new Set(folders)) {
    if (existsSync(folder)) continue
    request.onCreate(folder)
    // Outside of git repositories Claude Code makes it with the folder; it stays empty.
    request.onCreate(join(folder, 'memory'))
  }
  const run = { input: readRegularText(promptPath, anySize), runIn, timeoutMs: seedTimeoutMs }
  await answerOf(env, [...flags, ...noSnapshot], run).catch((error: unknown) => {
    if (!isUnknownOption(error)) throw error
    return answerOf(env, flags, run)
  })
  const [made = '', path = ''] = folders.map((folder) => join(folder, `${sessionId}.jsonl`))
  if (!existsSync(made)) throw new AppError('failed', 'Claude Code answered, but left no file of its session.')
  if (made !== path) moveSession(made, path, request)
  appendFileSync(path, `${JSON.stringify({ type: 'custom-title', customTitle: request.title, sessionId })}\n`)
  return { sessionId, path }
}

interface Run {
  readonly input: string
  readonly runIn: string
  readonly timeoutMs: number
}

/** The answer, where there was just that: one turn, no tool called, nothing failed. */
async function answerOf(env: AgentEnv, argv: readonly string[], { input, runIn, timeoutMs }: Run): Promise<string> {
  const group = createExecGroup()
  const vars = innerVars(env.vars, { OFFSHOOT_INTERNAL: '1', CLAUDE_CODE_DISABLE_ATTACHMENTS: '1' })
  // It is not in our process group: who interrupts us has to end it too.
  process.once('exit', group.kill)
  const run = await group.exec('claude', argv, { cwd: runIn, env: vars, timeoutMs, input }).finally(() => {
    process.removeListener('exit', group.kill)
  })
  if (run.missing) throw new AppError('tool_missing', 'claude is not on the PATH.')
  const said = parseResult(run.stdout)
  if (run.exitCode === 0 && said?.is_error === false && said.num_turns === 1 && typeof said.result === 'string')
    return said.result
  throw new AppError('failed', `Claude Code gave no answer: ${whyNot(run, said, timeoutMs)}`)
}

function whyNot({ timedOut, stderr, exitCode }: ExecResult, said: Record<string, unknown> | null, timeoutMs: number): string {
  if (timedOut) return `it took longer than ${timeoutMs / 1000} s.`
  if (said?.is_error === false && said.num_turns !== 1) return `it ran ${said.num_turns} turns instead of one.`
  if (said?.subtype === 'error_max_turns') return 'the model called tools instead. None of them ran.'
  const words = stderr.trim() || (typeof said?.result === 'string' ? said.result : '')
  return words.slice(0, 300) || `it ended with status ${exitCode}.`
}

function isUnknownOption(error: unknown): boolean {
  return error instanceof AppError && /unknown option.*--system-prompt-snapshot/.test(error.message)
}

function parseResult(stdout: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(stdout)
    return isObject(value) ? value : null
  } catch {
    return null // an error text instead of a document
  }
}

/** To where Claude Code looks for it from `cwd`, as if it had run there. The prompt itself stays as it was sent. */
function moveSession(from: string, to: string, { runIn, ...request }: SeedRequest): void {
  const cwd = realpathSync(request.cwd)
  const there = inJson(realpathSync(runIn))
  const here = inJson(cwd)
  const lines = readRegularText(from, anySize)
    .split('\n')
    .map((line) => (holdsPrompt(line) ? withFolder(line, cwd) : line.replaceAll(there, here)))
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 })
  writeFileSync(to, lines.join('\n'), { mode: 0o600, flag: 'wx' })
  rmSync(from)
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

function holdsPrompt(line: string): boolean {
  return /"type":"(user|queue-operation|last-prompt)"/.test(line)
}

function withFolder(line: string, cwd: string): string {
  const value: unknown = JSON.parse(line)
  return isObject(value) && 'cwd' in value ? JSON.stringify({ ...value, cwd }) : line
}
