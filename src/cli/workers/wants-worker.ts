// When `start` and `fork` make a worker instead of opening the agent right here.
import type { TerminalChoice } from '../../model/fork.ts'
import type { PermissionPolicy } from '../../model/run.ts'
import type { ForkOptions } from '../forking/request.ts'

/** What only a worker has. */
export interface WorkerOptions {
  readonly name?: string | undefined
  readonly headless?: true | undefined
  readonly command?: string | undefined
  readonly model?: string | undefined
  readonly env?: Readonly<Record<string, string>> | undefined
  readonly mcpConfig?: string | undefined
  readonly policy?: PermissionPolicy | undefined
  readonly allow?: readonly string[] | undefined
  readonly history?: true | undefined
}

/** A pane, a name or a setting that only a worker has makes it one. */
export function wantsWorker({
  terminal,
  ...options
}: WorkerOptions & { readonly terminal?: TerminalChoice | undefined }): boolean {
  if (opensWorker(terminal)) return true
  const { name, headless, command, model, env, mcpConfig, policy, allow, history } = options
  return [name, headless, command, model, env, mcpConfig, policy, allow, history].some((value) => value !== undefined)
}

/** What opens there runs as a worker. */
export function opensWorker(terminal: TerminalChoice | undefined): boolean {
  return terminal === 'tmux' || terminal === 'wezterm' || terminal === 'iterm2' || terminal === 'headless'
}

/** A fork of a worker is one too, with its settings, unless it goes to another agent, opens right here, or not at all. */
export function isWorkerFork({ to, terminal }: ForkOptions): boolean {
  return to === undefined && terminal !== 'here' && terminal !== 'none'
}
