// Pushes the branches of workspaces where that was asked for: in the background, never with force, never with a question (no
// terminal, no askpass, ssh in batch mode), tried again later and later. How it goes stands in the pushes table.
import { existsSync } from 'node:fs'
import { errorMessage } from '../lib/error-message.ts'
import { createExecGroup } from '../lib/exec-group.ts'
import type { PushState } from '../model/capture.ts'
import { createGit, type Git } from '../snapshots/git.ts'
import type { PushRecord } from '../store/pushes.ts'
import type { CaptureContext } from './context.ts'

const limitMs = 60_000
/** Then every hour. */
const waitsMs = [5_000, 30_000, 120_000, 600_000]
const longestWaitMs = 3_600_000
const maxProblemLength = 300

export function pushStates(context: CaptureContext): PushState[] {
  const { pushes, workspaces } = context.store()
  return pushes.all().map((push) => ({ ...push, branch: workspaces.get(push.workspaceId)?.branch ?? null }))
}

/** Pushes what is due (`now`: also what failed just before); gives the time of the next try, `null` when nothing failed. */
export async function pushDue(context: CaptureContext, now = false): Promise<number | null> {
  const { pushes } = context.store()
  for (const push of pushes.all()) {
    if (!now && push.nextAt !== null && push.nextAt > context.now()) continue
    await pushOne(context, push)
  }
  const times = pushes.all().flatMap(({ nextAt }) => nextAt ?? [])
  return times.length === 0 ? null : Math.min(...times)
}

async function pushOne(context: CaptureContext, push: PushRecord): Promise<void> {
  const store = context.store()
  const workspace = store.workspaces.get(push.workspaceId)
  // What is removed, or elsewhere for now, is neither pushed nor a fault.
  if (workspace === null || workspace.removedAt !== null || !existsSync(workspace.path)) return
  const { path: cwd, branch } = workspace
  try {
    const commit = (await context.git(['rev-parse', '--verify', '--quiet', `refs/heads/${branch}`], { cwd })).stdout.trim()
    if (commit === push.pushedCommit) return
    const git = await createPushingGit(context, cwd)
    const target = `${commit}:refs/heads/${branch}`
    await git(['push', '--quiet', '--no-verify', '--', push.remote, target], {
      cwd,
      timeoutMs: limitMs,
      config: { 'core.askPass': '' },
    })
    const done = { pushedCommit: commit, attempts: 0, nextAt: null, problem: null, updatedAt: context.now() }
    store.pushes.put({ ...push, ...done })
  } catch (error) {
    const attempts = push.attempts + 1
    const problem = describe(error)
    const now = context.now()
    store.pushes.put({ ...push, attempts, nextAt: now + waitAfter(attempts), problem, updatedAt: now })
  }
}

export function waitAfter(attempts: number): number {
  return waitsMs[attempts - 1] ?? longestWaitMs
}

/** Without a terminal of its own, so that nothing it runs can ask there. */
async function createPushingGit({ git, env: { vars } }: CaptureContext, cwd: string): Promise<Git> {
  const { stdout } = await git(['config', '--get', 'core.sshCommand'], { cwd, accept: [0, 1] })
  const ssh = vars.GIT_SSH_COMMAND || stdout.trim() || 'ssh'
  const quiet = { SSH_ASKPASS: '', SSH_ASKPASS_REQUIRE: 'never', GCM_INTERACTIVE: 'never' }
  const pushing = createGit({ exec: createExecGroup().exec, env: { ...vars, ...quiet } })
  return (args, call) => pushing(args, { ...call, config: { ...call.config, 'core.sshCommand': `${ssh} -oBatchMode=yes` } })
}

/** The remote's address may hold a password. */
function describe(error: unknown): string {
  const text = errorMessage(error)
  return text.replaceAll(/:\/\/[^\s/@]+@/g, '://').slice(0, maxProblemLength)
}
