// The one way git is called: a cleaned environment, no hooks, no prompts, no writes for convenience, bytes kept as bytes.
// Inside a hook git exports GIT_DIR and GIT_INDEX_FILE, with which every other repository looks deleted: all of them go.
import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { reachesNobody } from '../lib/ask-git.ts'
import type { Exec } from '../lib/exec.ts'
import { findForgedGit } from '../lib/git-place.ts'
import { statIfThere } from '../lib/git-proof.ts'
import { machineWords } from '../lib/machine-fault.ts'
import { refusePipes } from '../lib/refuse-pipes.ts'
import { AppError } from '../model/error.ts'
import { showPath } from './byte-path.ts'
import { explainGitIndex } from './index-damage.ts'
import { explainNoRepository } from './no-repository.ts'

export interface GitCall {
  readonly cwd: string
  /** One byte per character, as `stdout` of the result. */
  readonly input?: string
  /** Absolute path of an index to use in place of the work tree's own. */
  readonly index?: string
  /** Exit statuses that are an answer, not a fault. */
  readonly accept?: readonly number[]
  readonly config?: Readonly<Record<string, string>>
  /** A branch made for a person gets its reflog; nothing else of ours leaves a trace. */
  readonly keepReflog?: boolean
  /** Lets git write a refreshed index: only ever in a work tree of our own making. */
  readonly refresh?: boolean
  readonly timeoutMs?: number
  /** Speaks to other repositories: `local` ones of this machine, or `any`. Else none: a missing object is not fetched. */
  readonly reaches?: 'local' | 'any'
  /**
   * Files as the repository itself says: settings and attributes of the person and the machine stay out. They may be others
   * when a snapshot is taken than when it is used.
   */
  readonly ofRepository?: boolean
  /** Called as soon as git runs. */
  readonly onStarted?: (pid: number) => void
  /** Whose commit it is, where it is not merely offshoot's. */
  readonly identity?: { readonly name: string; readonly email: string }
}

export interface GitResult {
  readonly stdout: string
  readonly stderr: string
  readonly exitCode: number
}

export type Git = (args: readonly string[], call: GitCall) => Promise<GitResult>

export interface GitSurroundings {
  readonly exec: Exec
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Evidence for each: facts of git 2.39. An edit was missed through a copied index with fsmonitor on; safecrlf makes `add` fail. */
const config = {
  'core.hooksPath': '/dev/null',
  'core.fsmonitor': 'false',
  'core.untrackedCache': 'false',
  'core.splitIndex': 'false',
  'core.safecrlf': 'false',
  'core.quotePath': 'false',
  'index.sparse': 'false',
  'diff.autoRefreshIndex': 'false',
  'advice.addEmbeddedRepo': 'false',
  'gc.auto': '0',
  // With it on, `worktree add` (from git 2.48) writes an extension into the person's config that older gits refuse.
  'worktree.useRelativePaths': 'false',
  // Runs what its address says. git allows it where a person typed the address.
  'protocol.ext.allow': 'never',
}

const ofRepositoryConfig = { 'core.autocrlf': 'false', 'core.eol': 'lf', 'core.attributesFile': '/dev/null' }

/** Where a person's configuration lies; any other GIT_ variable speaks of one call in one repository. */
const keptVariables = [
  'GIT_CONFIG_GLOBAL',
  'GIT_CONFIG_SYSTEM',
  'GIT_CONFIG_NOSYSTEM',
  'GIT_ATTR_NOSYSTEM',
  'GIT_LFS_SKIP_SMUDGE',
]

const defaultTimeoutMs = 120_000

/** A git that speaks to no remote has no reason to sleep so long. */
const idleMs = 15_000

/** How long a repository that was looked at is taken to be the same: a command asks git many times in a row. */
const lookedAtMs = 1000

export function createGit({ exec, env }: GitSurroundings): Git {
  const base = cleanEnvironment(env)
  const refuseUnfit = createGuard()
  return async (args, call) => {
    const { cwd, input, accept = [0], timeoutMs = defaultTimeoutMs, onStarted } = call
    refuseUnfit(cwd)
    const result = await exec('git', [...flags(call), ...args], {
      cwd,
      env: { ...base, ...variables(call) },
      timeoutMs,
      ...(call.reaches === 'any' ? {} : { idleMs }),
      encoding: 'latin1',
      ...(input === undefined ? {} : { input }),
      ...(onStarted === undefined ? {} : { onStarted }),
    })
    const { stdout, exitCode } = result
    const stderr = showPath(result.stderr)
    if (exitCode !== null && accept.includes(exitCode)) return { stdout, stderr, exitCode }
    if (result.missing) throw await explainMissing(cwd)
    if (result.timedOut) throw explainTimeout(args, cwd, result.stuck ? null : timeoutMs)
    if (/not a git repository/.test(stderr)) throw await explainNoRepository(cwd)
    // An index of our own is made again by whoever gave it.
    const damage = call.index === undefined ? explainGitIndex(stderr, cwd) : null
    if (damage !== null) throw damage
    throw explainFailure(args, cwd, stderr, exitCode)
  }
}

/** Precedes every git process of ours: git waits for any file, and follows any `.git`, without asking. */
function createGuard(): (folder: string) => void {
  const lookedAt = new Map<string, number>()
  return (folder) => {
    const now = performance.now()
    if (now - (lookedAt.get(folder) ?? Number.NEGATIVE_INFINITY) < lookedAtMs) return
    refuseForged(folder)
    refuseOtherThanFolder(folder)
    refusePipes(folder)
    for (const [each, at] of lookedAt) if (now - at >= lookedAtMs) lookedAt.delete(each)
    lookedAt.set(folder, now)
  }
}

function refuseForged(folder: string): void {
  const dotGit = findForgedGit(folder)
  if (dotGit === null) return
  throw new AppError('refused', `${dotGit} leads to a repository that does not name ${dirname(dotGit)} as its work tree.`, {
    hint: 'If the work tree was moved, run `git worktree repair` in it; otherwise replace that .git by a repository of its own.',
  })
}

/** A repository that was recorded may have become a file; of that the system says only ENOTDIR. */
function refuseOtherThanFolder(folder: string): void {
  if (statIfThere(folder)?.isDirectory() !== false) return
  throw new AppError('repo_not_found', `${folder} is not a directory: the repository that was there is gone.`, {
    hint: 'Put the repository back at that place and try again.',
  })
}

function flags({ config: extra = {}, keepReflog = false, ofRepository = false }: GitCall): string[] {
  const reflog = keepReflog ? {} : { 'core.logAllRefUpdates': 'false' }
  const all = { ...config, ...reflog, ...(ofRepository ? ofRepositoryConfig : {}), ...extra }
  return Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}

function variables({ index, refresh = false, identity, ofRepository = false, reaches }: GitCall): Record<string, string> {
  return {
    ...(reaches === 'any' ? {} : reachesNobody),
    ...(reaches === 'local' ? { GIT_ALLOW_PROTOCOL: 'file' } : {}),
    GIT_OPTIONAL_LOCKS: refresh ? '1' : '0',
    ...(ofRepository ? { GIT_ATTR_NOSYSTEM: '1' } : {}),
    ...(index === undefined ? {} : { GIT_INDEX_FILE: index }),
    ...(identity === undefined ? {} : identify(identity)),
  }
}

function identify({ name, email }: { readonly name: string; readonly email: string }): Record<string, string> {
  return { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email, GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: email }
}

function cleanEnvironment(env: GitSurroundings['env']): Record<string, string | undefined> {
  const kept = Object.entries(env).filter(([name]) => !name.startsWith('GIT_') || keptVariables.includes(name))
  return {
    ...Object.fromEntries(kept),
    OFFSHOOT_INTERNAL: '1',
    LC_ALL: 'C',
    GIT_TERMINAL_PROMPT: '0',
    ...identify({ name: 'offshoot', email: 'offshoot@localhost' }),
  }
}

/** A missing folder looks like a missing program. */
async function explainMissing(cwd: string): Promise<AppError> {
  const folder = await stat(cwd).catch(() => null)
  if (folder === null) return new AppError('repo_not_found', `The folder ${cwd} does not exist.`)
  return new AppError('tool_missing', 'git is not installed, or not on the PATH.', {
    hint: 'Install git 2.36 or newer; without it forks run in place only.',
  })
}

/** `timeoutMs`: `null` where it was ended for doing nothing. */
function explainTimeout(args: readonly string[], cwd: string, timeoutMs: number | null): AppError {
  const what = timeoutMs === null ? `did nothing for ${idleMs / 1000} s` : `did not end within ${timeoutMs / 1000} s`
  return new AppError('failed', `git ${args[0]} ${what} in ${cwd}.`, {
    hint: 'Try it there by hand: a pipe in place of a file in the .git folder, or a network that does not answer, holds git.',
  })
}

function explainFailure(args: readonly string[], cwd: string, stderr: string, exitCode: number | null): AppError {
  if (/dubious ownership|unsafe repository/.test(stderr)) {
    return new AppError('refused', `git does not trust ${cwd}: it belongs to another user.`, {
      hint: `If you trust it: \`git config --global --add safe.directory ${/^\t?.*safe\.directory (\S.*)$/m.exec(stderr)?.[1] ?? cwd}\``,
    })
  }
  const details = { args, cwd, exitCode, stderr }
  const name = args.find((each) => !each.startsWith('-'))
  const reason = /^(?:fatal|error): (.*)$/m.exec(stderr)?.[1] ?? (stderr.trim().split('\n')[0] || `exit status ${exitCode}`)
  const machine = machineWords(stderr)
  if (machine !== undefined) {
    return new AppError(machine.code, `${machine.reason}: git ${name} failed in ${cwd} (${reason}).`, {
      hint: machine.hint,
      details,
    })
  }
  return new AppError('failed', `git ${name} failed in ${cwd}: ${reason}`, { details })
}
