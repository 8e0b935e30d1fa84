// The step in which a new workspace is set up by the user's command. A command that fails, or is cut off with the whole fork, leaves a
// workspace that can be used: what it printed is reported, and nothing is taken back.
import { fileErrorCode } from '../lib/file-errors.ts'
import { AppError } from '../model/error.ts'
import type { MakingProgress, SetupOutcome, SetupPlan } from '../model/fork.ts'
import type { ForkContext } from './context.ts'
import type { Saga } from './saga.ts'

export interface MakingOptions {
  /** Told again and again while a step takes long. */
  readonly onProgress?: (progress: MakingProgress) => void
}

/** `undefined` where there is nothing to run. */
export async function setUpWorkspace(
  context: ForkContext,
  saga: Saga,
  setup: SetupPlan | null,
  workspaceId: string | null,
  { onProgress }: MakingOptions,
): Promise<SetupOutcome | undefined> {
  const workspace = workspaceId === null ? null : context.store().workspaces.get(workspaceId)
  if (setup === null || workspace === null) return undefined
  const { path } = workspace
  return saga.step('setup', { kind: 'setup', command: setup.command, path }, async () => {
    const { runSetup } = await import('./run-setup.ts')
    const { vars } = context.env
    const listening = onProgress === undefined ? {} : { onProgress }
    const outcome = await runSetup({ ...setup, workspace: path, env: vars, now: context.now, ...listening })
    // The command may have harmed even the work tree: that is for the user to see, in what it printed.
    await rememberAsMade(context, workspace.id).catch(ignoreFault)
    return outcome
  })
}

/** What the command wrote is no work of anybody's: undoing the fork must not stumble over it. */
export async function rememberAsMade(context: ForkContext, workspaceId: string): Promise<void> {
  const [{ takeFingerprint }, { readStatus }, { findOperation }, { findRepository }] = await Promise.all([
    import('../snapshots/fingerprint.ts'),
    import('../snapshots/status.ts'),
    import('../snapshots/operation.ts'),
    import('../snapshots/repository.ts'),
  ])
  const { workspaces } = context.store()
  const record = workspaces.get(workspaceId)
  if (record === null) return
  const { gitDir } = await findRepository(context.git, record.path)
  const operation = await findOperation(gitDir)
  const made = await takeFingerprint(record.path, await readStatus(context.git, record.path), operation?.kind ?? null)
  workspaces.put({ ...record, made })
}

function ignoreFault(error: unknown): void {
  if (!(error instanceof AppError) && fileErrorCode(error) === undefined) throw error
}

/** For the proof, which is kept. */
export function describeOutcome({ command, exitCode, timedOut, seconds }: SetupOutcome): string {
  const how = timedOut ? 'took too long and was ended' : exitCode === null ? 'was ended' : `ended with exit status ${exitCode}`
  return `the set-up command ${JSON.stringify(command)} ${how} after ${seconds} s`
}
