// The commit of a turn on the branch of a workspace, made from the snapshot's tree: no hooks, no signing, no editor. What was
// uncommitted when the turn began is a commit of its own below it. The branch moves only if it is where the snapshot saw it, the
// index only if it is still the one the snapshot was made from.
import { link, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileErrorCode } from '../lib/file-errors.ts'
import { withLockFile } from '../lib/lock-file.ts'
import { anySize, loadRegular } from '../lib/regular-file.ts'
import { AppError } from '../model/error.ts'
import { showPath, splitRecords } from './byte-path.ts'
import { findEarlierTree, type TurnStart } from './earlier-work.ts'
import type { Git } from './git.ts'
import { markIndex } from './index-mark.ts'
import { look as lookAt } from './look.ts'
import type { TreeLook } from './look-at-tree.ts'
import { findOperation } from './operation.ts'
import { writePrivateState } from './private-state.ts'
import type { WorkTree } from './repository.ts'
import { nothingStaged } from './staged.ts'

interface CommitWords {
  readonly message: string
  readonly trailers: readonly (readonly [name: string, value: string])[]
}

export interface CommitRequest extends CommitWords {
  readonly branch: string
  /** The state the turn's prompt found, and what to call the commit of what was uncommitted then; absent when nobody looked. */
  readonly earlier?: CommitWords & { readonly start: TurnStart }
}

export interface TurnToCommit extends CommitRequest {
  readonly workTree: WorkTree
  /** The private index, which holds just what the tree holds. */
  readonly index: string
  readonly look: TreeLook
  readonly onStep?: (step: string) => void
}

export interface TurnCommit {
  /** The branch's new tip, which holds the snapshot's tree; `null` where nothing was committed. */
  readonly commit: string | null
  readonly problem: string | null
}

export async function commitTurn(git: Git, turn: TurnToCommit): Promise<TurnCommit> {
  const { look, workTree, branch } = turn
  const { head, tree } = look
  if (tree === head.tree) return { commit: null, problem: null }
  // Before the branch: a rebase is why HEAD is on none.
  const operation = await findOperation(workTree.gitDir)
  if (operation !== null) return { commit: null, problem: `A ${operation.kind} is in progress.` }
  if (head.branch !== branch) return { commit: null, problem: `HEAD is not on the workspace's branch ${branch}.` }
  try {
    const commit = await writeCommits(git, turn)
    turn.onStep?.('committed')
    await oneAtATime(workTree, () => withNewIndex(turn, () => moveBranch(git, turn, commit)))
    await rememberCommit(turn)
    return { commit, problem: null }
  } catch (error) {
    return { commit: null, problem: describeProblem(error) }
  }
}

/** A bug stays one. */
function describeProblem(error: unknown): string {
  if (error instanceof AppError || (error instanceof Error && fileErrorCode(error) !== undefined)) return error.message
  throw error
}

/** What was there before the turn, then what the turn did: each only where there is something. Gives the last one. */
async function writeCommits(git: Git, turn: TurnToCommit): Promise<string> {
  const { look, earlier, workTree } = turn
  const earlierTree = earlier === undefined ? null : await findEarlierTree(git, { ...turn, start: earlier.start })
  if (earlier === undefined || earlierTree === null) return writeCommit(git, workTree, look.tree, look.head.commit, turn)
  const below = await writeCommit(git, workTree, earlierTree, look.head.commit, earlier)
  return earlierTree === look.tree ? below : writeCommit(git, workTree, look.tree, below, turn)
}

async function writeCommit(
  git: Git,
  workTree: WorkTree,
  tree: string,
  parent: string | null,
  { message, trailers }: CommitWords,
): Promise<string> {
  const text = `${message.trim()}\n\n${trailers.map(([name, value]) => `${name}: ${value}\n`).join('')}`
  const parents = parent === null ? [] : ['-p', parent]
  const identity = await readIdentity(git, workTree)
  const { stdout } = await git(['commit-tree', tree, ...parents, '-F', '-'], {
    cwd: workTree.root,
    input: Buffer.from(text).toString('latin1'),
    config: { 'i18n.commitEncoding': 'UTF-8' },
    ...(identity === null ? {} : { identity }),
  })
  return stdout.trim()
}

/**
 * The person's own, where git knows it: the branch is theirs to merge and push, and a stranger as author fails the checks of
 * many a remote and shows in every blame. That offshoot made the commit is said by its trailers.
 */
async function readIdentity(git: Git, { root: cwd }: WorkTree): Promise<{ name: string; email: string } | null> {
  const { stdout } = await git(['config', '-z', '--get-regexp', '^user\\.(name|email)$'], { cwd, accept: [0, 1] })
  const values = new Map(splitRecords(stdout).map((record) => showPath(record).split('\n') as [string, string]))
  const [name, email] = [values.get('user.name'), values.get('user.email')]
  return name && email ? { name, email } : null
}

async function moveBranch(git: Git, { look, workTree, branch, message }: TurnToCommit, commit: string): Promise<void> {
  const subject = message.split('\n')[0] ?? ''
  const args = ['update-ref', '-m', `commit: ${subject}`, `refs/heads/${branch}`, commit, look.head.commit ?? '']
  await git(args, { cwd: workTree.root, keepReflog: true })
}

const lockTries = 20

/**
 * Under git's own lock, taken whole: the new index is the lock file, and takes the old one's place once `move` is done. Else
 * the branch would be ahead of the index, and the next commit there would take the turn back.
 */
async function withNewIndex({ workTree, index, look, onStep }: TurnToCommit, move: () => Promise<void>): Promise<void> {
  const { indexPath, hashBytes } = workTree
  const lock = `${indexPath}.lock`
  const beside = ownLockPath(workTree)
  await writeFile(beside, await loadRegular(index, anySize))
  // The age of the private index: looking newer it would hide edits made in the same second.
  const seconds = Math.max(1, Math.floor((await stat(index)).mtimeMs / 1000))
  await utimes(beside, seconds, seconds)
  try {
    await takeLock(beside, lock)
    try {
      if ((await markIndex(indexPath, hashBytes)) !== look.state.mark) {
        throw new AppError('busy', 'The index changed while the turn was being captured.')
      }
      onStep?.('locked index')
      await move()
      onStep?.('moved branch')
    } catch (error) {
      await rm(lock)
      throw error
    }
    await rename(lock, indexPath)
  } finally {
    await rm(beside, { force: true })
  }
}

/** Stays as long as the lock does: its being the same file shows whose the lock is. */
function ownLockPath({ gitDir }: WorkTree): string {
  return join(gitDir, 'offshoot-index')
}

async function takeLock(own: string, lock: string): Promise<void> {
  for (let tries = 0; tries < lockTries; tries++) {
    try {
      return await link(own, lock)
    } catch (error) {
      if (fileErrorCode(error) !== 'EEXIST') throw error
      await sleep(25)
    }
  }
  throw new AppError('busy', 'Another git is at work in the workspace (index.lock).')
}

/**
 * What a commit that was killed between its steps left: git's lock, which would stop every git in the workspace. If the branch
 * has moved the index follows, else it stays as it was. Answers with what stood in the way.
 */
export async function finishCommit(git: Git, workTree: WorkTree): Promise<string | null> {
  if ((await lookAt(ownLockPath(workTree))) === null) return null
  const finish = async () => {
    const path = ownLockPath(workTree)
    const own = await lookAt(path)
    const lock = `${workTree.indexPath}.lock`
    const cwd = workTree.root
    if (own !== null && (await lookAt(lock))?.ino === own.ino) {
      const [inLock, atHead] = await Promise.all([
        git(['write-tree'], { cwd, index: path }),
        git(['rev-parse', '--quiet', '--verify', 'HEAD^{tree}'], { cwd, accept: [0, 1] }),
      ])
      if (inLock.stdout === atHead.stdout) await rename(lock, workTree.indexPath)
      else await rm(lock, { force: true })
    }
    await rm(path, { force: true })
  }
  return oneAtATime(workTree, finish).then(() => null, describeProblem)
}

/** Two sessions may share a workspace; whoever is killed holds nothing up. */
async function oneAtATime(workTree: WorkTree, work: () => Promise<void>): Promise<void> {
  await withLockFile(join(workTree.gitDir, 'offshoot-commit.lock'), work, {
    maxTries: lockTries,
    onBusy: () => new AppError('busy', 'Another turn is being committed in this workspace.'),
  })
}

/** All that was untracked is tracked now, nothing is staged: what the next look would find out by reading the index. */
async function rememberCommit({ workTree, index, look }: TurnToCommit): Promise<void> {
  const mark = await markIndex(workTree.indexPath, workTree.hashBytes)
  await writePrivateState(index, { ...look.state, mark, headTree: look.tree, untracked: [], staged: nothingStaged })
}
