// Runs the real Claude Code in a sandbox against the stand-in API: in print mode, or interactively in tmux.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Running, RunResult } from '../lib/processes.ts'
import type { Sandbox } from '../lib/sandbox.ts'
import { openTerminal, type Terminal } from '../lib/tmux.ts'
import type { ApiStandIn } from './api.ts'

export interface ClaudeOptions {
  readonly cwd?: string
  /** Further flags: `--resume`, `--fork-session`, `--session-id`, `--resume-session-at` ... */
  readonly flags?: readonly string[]
  /** Given as `--settings`, e.g. hooks. */
  readonly settings?: object
}

export interface Claude {
  readonly version: string
  /** One prompt in print mode; a failing run throws with what it said. */
  print(prompt: string, options?: ClaudeOptions): Promise<PrintResult>
  /** The same, whatever the exit status. */
  tryPrint(prompt: string, options?: ClaudeOptions): Promise<RunResult>
  /** Starts print mode and does not wait. */
  startPrint(prompt: string, options?: ClaudeOptions): Running
  /** The terminal UI, ready for input. */
  open(options?: ClaudeOptions): Promise<Terminal>
}

export interface PrintResult {
  readonly sessionId: string
  readonly result: string
}

const key = 'sk-dummy'

/** What sends Claude Code to the stand-in API, and nowhere else. */
export const claudeVars = ({ url }: ApiStandIn) => ({
  ANTHROPIC_BASE_URL: url,
  ANTHROPIC_API_KEY: key,
  CLAUDE_CODE_MAX_RETRIES: '0',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  DISABLE_AUTOUPDATER: '1',
  DISABLE_TELEMETRY: '1',
})

/** `command` starts this version of the CLI. */
export function createClaude(sandbox: Sandbox, api: ApiStandIn, version: string, command: readonly string[]): Claude {
  const env = {
    ...sandbox.env,
    ...claudeVars(api),
    CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS: '60000', // a second and a half where nothing is said: less than a busy machine needs
    IS_SANDBOX: '1', // lets root pass --dangerously-skip-permissions
  }
  const argv = (options: ClaudeOptions) => [
    ...command,
    '--dangerously-skip-permissions',
    ...(options.settings === undefined ? [] : ['--settings', JSON.stringify(options.settings)]),
    ...(options.flags ?? []),
  ]
  const place = (options: ClaudeOptions) => ({ cwd: options.cwd ?? sandbox.work, env })

  const startPrint = (prompt: string, options: ClaudeOptions = {}) =>
    sandbox.processes.start([...argv(options), '-p', '--output-format', 'json', '--', prompt], place(options))
  const tryPrint = (prompt: string, options?: ClaudeOptions) => startPrint(prompt, options).ended

  return {
    version,
    startPrint,
    tryPrint,
    async print(prompt, options) {
      const done = await tryPrint(prompt, options)
      if (done.code !== 0)
        throw new Error(`claude ${version} ended with ${done.code ?? done.signal}\n${done.stdout}\n${done.stderr}`)
      const { session_id, result } = JSON.parse(done.stdout) as { session_id: string; result: string }
      return { sessionId: session_id, result }
    },
    async open(options = {}) {
      const { cwd } = place(options)
      acceptDialogs(sandbox, cwd)
      // Print mode migrates the accepted warning into the settings once; a home it has seen before takes it from there only.
      const settings = { skipDangerousModePermissionPrompt: true, ...options.settings }
      const terminal = openTerminal(sandbox, { argv: argv({ ...options, settings }), cwd, env })
      await terminal.waitFor(/^[❯>]/m)
      return terminal
    },
  }
}

/** Answers the first-run dialogs beforehand: onboarding, the API key, trust in the folder, the bypass warning. */
export function acceptDialogs(sandbox: Sandbox, cwd: string): void {
  const file = join(sandbox.env.CLAUDE_CONFIG_DIR ?? sandbox.home, '.claude.json')
  const config = readJson(file)
  const projects = (config.projects ?? {}) as Record<string, object>
  writeFileSync(
    file,
    JSON.stringify({
      ...config,
      hasCompletedOnboarding: true,
      theme: 'dark',
      bypassPermissionsModeAccepted: true,
      customApiKeyResponses: { approved: [key], rejected: [] },
      projects: { ...projects, [cwd]: { allowedTools: [], ...projects[cwd], hasTrustDialogAccepted: true } },
    }),
  )
}

function readJson(file: string): Record<string, unknown> {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw error
  }
}
