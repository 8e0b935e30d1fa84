// Pushes the branches of workspaces where that was asked for: in the background, never with force, never with a question (no
// terminal, no askpass, ssh in batch mode), tried again later and later. How it goes stands in the pushes table. The person's
// pre-push hook is not run: with `core.hooksPath` it lies among the files the agent writes, and would run outside of its sandbox.
import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { errorMessage } from '../lib/error-message.ts'
import { createExecGroup, type ExecGroup } from '../lib/exec-group.ts'
import { isObject } from '../lib/jsonl.ts'
import type { PushState } from '../model/capture.ts'
import { AppError } from '../model/error.ts'
import { createGit, type Git } from '../snapshots/git.ts'
import type { PushRecord } from '../store/pushes.ts'
import type { CaptureContext } from './context.ts'

const limitMs = 60_000
/** Then every hour. */
const waitsMs = [5_000, 30_000, 120_000, 600_000]
const longestWaitMs = 3_600_000
const maxProblemLength = 300
/** So many remotes at once. */
const maxAtOnce = 3
const lookAgainMs = 1000

export function pushStates(context: CaptureContext): PushState[] {
  const { pushes, workspaces } = context.store()
  return pushes.all().map((push) => ({ ...push, branch: workspaces.get(push.workspaceId)?.branch ?? null }))
}

export interface PushOptions {
  /** Also what failed just before. */
  readonly now?: boolean
  /** Whoever has to leave does not wait for a remote: what is under way is ended, and counts as not tried. */
  readonly group?: ExecGroup
}

/** Pushes what is due; gives the time of the next try, `null` when nothing waits for one. */
export async function pushDue(context: CaptureContext, options: PushOptions = {}): Promise<number | null> {
  const { pushes } = context.store()
  const { now = false, group = createExecGroup() } = options
  const tried = new Set<string>()
  const running = new Map<string, Promise<void>>()
  const isNext = (push: PushRecord): boolean =>
    isDue(push, context.now()) || ((now || push.nextAt === null) && !tried.has(push.workspaceId))
  // Looked at again while one runs: a turn that ends meanwhile does not wait for a remote that is not its own.
  while (!group.isOver()) {
    for (const push of pushes.all().filter(isNext).toSorted(byFailures)) {
      const place = placeOf(context, push)
      if (running.size >= maxAtOnce || running.has(place)) continue
      tried.add(push.workspaceId)
      const ends = pushOne(context, push, group).finally(() => running.delete(place))
      running.set(place, ends)
    }
    if (running.size === 0) break
    await Promise.race([...running.values(), sleep(lookAgainMs, undefined, { ref: false })])
  }
  await Promise.all(running.values())
  const times = pushes.all().flatMap(({ nextAt }) => nextAt ?? [])
  return times.length === 0 ? null : Math.min(...times)
}

/** Also when its time is further away than any wait: the clock was set back meanwhile. */
export function isDue({ nextAt }: PushRecord, now: number): boolean {
  return nextAt !== null && (nextAt <= now || nextAt > now + longestWaitMs)
}

/** What failed may fail again, and take long: it comes last. */
const byFailures = (one: PushRecord, other: PushRecord): number => one.attempts - other.attempts

/** One at a time to each remote, so that one that says nothing holds up no other. */
function placeOf(context: CaptureContext, { workspaceId, remote }: PushRecord): string {
  return `${context.store().workspaces.get(workspaceId)?.commonDir} ${remote}`
}

async function pushOne(context: CaptureContext, push: PushRecord, group: ExecGroup): Promise<void> {
  const store = context.store()
  const workspace = store.workspaces.get(push.workspaceId)
  const settle = (change: Partial<PushRecord>): void => {
    const seen = store.pushes.get(push.workspaceId)
    // A turn that ended meanwhile waits for a push of its own, and stays due.
    const rest = seen?.updatedAt === push.updatedAt ? change : { pushedCommit: change.pushedCommit ?? push.pushedCommit }
    if (seen !== null) store.pushes.put({ ...seen, ...rest, updatedAt: context.now() })
  }
  const done = { attempts: 0, nextAt: null, problem: null }
  // What is removed, or elsewhere for now, is neither pushed nor a fault; it must not stay due either.
  if (workspace === null || workspace.removedAt !== null || !existsSync(workspace.path)) return settle(done)
  const { path: cwd, branch } = workspace
  try {
    const commit = await findTip(context.git, cwd, branch)
    if (commit === push.pushedCommit) return settle(done)
    await sendCommit(await createPushingGit(context, cwd, group), { cwd, remote: push.remote, branch, commit })
    settle({ ...done, pushedCommit: commit })
  } catch (error) {
    if (group.isOver()) return
    const attempts = push.attempts + 1
    settle({ attempts, nextAt: context.now() + waitAfter(attempts), problem: describe(error) })
  }
}

async function findTip(git: Git, cwd: string, branch: string): Promise<string> {
  const { stdout } = await git(['rev-parse', '--verify', '--quiet', `refs/heads/${branch}`], { cwd, accept: [0, 1] })
  if (stdout === '') throw new AppError('failed', `There is no branch ${branch} any more: it was renamed or deleted.`)
  return stdout.trim()
}

interface Sending {
  readonly cwd: string
  readonly remote: string
  readonly branch: string
  readonly commit: string
}

async function sendCommit(git: Git, { cwd, remote, branch, commit }: Sending): Promise<void> {
  const call = { cwd, timeoutMs: limitMs, reaches: 'any' as const, config: { 'core.askPass': '' } }
  // The hook that Git LFS installs would send its files first: a branch without them cannot be checked out elsewhere.
  if (await usesLfs(git, cwd, commit)) await git(['lfs', 'push', remote, `refs/heads/${branch}`], call)
  await git(['push', '--quiet', '--no-verify', '--', remote, `${commit}:refs/heads/${branch}`], call)
}

async function usesLfs(git: Git, cwd: string, commit: string): Promise<boolean> {
  const files = ['.gitattributes', '**/.gitattributes'].map((path) => `:(glob)${path}`)
  const { exitCode } = await git(['grep', '-q', '-e', 'filter=lfs', commit, '--', ...files], { cwd, accept: [0, 1] })
  return exitCode === 0
}

export function waitAfter(attempts: number): number {
  return waitsMs[attempts - 1] ?? longestWaitMs
}

/** Without a terminal of its own, so that nothing it runs can ask there. */
async function createPushingGit({ git, env: { vars } }: CaptureContext, cwd: string, { exec }: ExecGroup): Promise<Git> {
  const { stdout } = await git(['config', '--get', 'core.sshCommand'], { cwd, accept: [0, 1] })
  const ssh = vars.GIT_SSH_COMMAND || stdout.trim() || 'ssh'
  const quiet = { SSH_ASKPASS: '', SSH_ASKPASS_REQUIRE: 'never', GCM_INTERACTIVE: 'never' }
  const pushing = createGit({ exec, env: { ...vars, ...quiet } })
  return (args, call) => pushing(args, { ...call, config: { ...call.config, 'core.sshCommand': `${ssh} -oBatchMode=yes` } })
}

/** Git's own line tells only that it failed; why stands before it: `! [remote rejected] ... (pre-receive hook declined)`. */
function saidByRemote(error: unknown): string {
  const details = error instanceof AppError ? error.details : undefined
  const stderr = isObject(details) && typeof details.stderr === 'string' ? details.stderr : ''
  const reason = /^ ! \[[^\]]+\] .*(\(.+\))$/m.exec(stderr)?.[1]
  const remote = [...stderr.matchAll(/^remote: (.*\S)\s*$/gm)].map(([, line]) => line).slice(0, 3)
  if (stderr.includes('Could not read from remote repository')) remote.push(...saidBySsh(stderr))
  return [...(reason === undefined ? [] : [` ${reason}`]), ...(remote.length === 0 ? [] : [`: ${remote.join(' ')}`])].join('')
}

/** The line before git's: `Permission denied (publickey).`, `Host key verification failed.`, `ssh: connect to host ...`. */
function saidBySsh(stderr: string): string[] {
  const before = stderr.slice(0, Math.max(0, stderr.search(/^fatal: /m))).split(/\r?\n/)
  return before
    .map((line) => line.trim())
    .filter(Boolean)
    .slice(-1)
}

/** The remote's address may hold a password. */
function describe(error: unknown): string {
  const text = errorMessage(error) + saidByRemote(error)
  return text.replaceAll(/:\/\/[^\s/]+@/g, '://').slice(0, maxProblemLength)
}
