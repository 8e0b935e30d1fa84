// The commit nearest by time to a moment nobody captured: what HEAD was in that work tree by its reflog, else the newest commit of
// the session's branch that was there by then. Only an approximation: what was not committed is not in it.
import { join } from 'node:path'
import { isMissing } from '../lib/file-errors.ts'
import { anySize, loadRegularText } from '../lib/regular-file.ts'
import type { Git } from '../snapshots/git.ts'
import { findMissing, readObjects } from '../snapshots/read-objects.ts'

export interface CommitWish {
  readonly commonDir: string
  /** Of the work tree the session ran in, where it is still there. */
  readonly gitDir: string | null
  /** As the agent recorded them. */
  readonly branch: string | null
  readonly startCommit: string | null
  /** Epoch ms. */
  readonly at: number
}

export interface NearCommit {
  readonly commit: string
  readonly tree: string
  /** `reflog`: HEAD was there then. `recorded` by the agent itself when it began. `branch`: by its date only. */
  readonly from: 'reflog' | 'recorded' | 'branch'
  readonly committedAt: number
}

export async function findNearestCommit(git: Git, wish: CommitWish): Promise<NearCommit | null> {
  const seen = wish.gitDir === null ? null : await headAt(git, wish.gitDir, wish.commonDir, wish.at)
  if (seen !== null) return describe(git, wish.commonDir, seen, 'reflog')
  const [recorded, onBranch] = await Promise.all([
    wish.startCommit === null ? null : describe(git, wish.commonDir, wish.startCommit, 'recorded'),
    newestOnBranch(git, wish),
  ])
  const known = [recorded, onBranch].filter((each) => each !== null && each.committedAt <= wish.at)
  return known.reduce((best, each) => ((each?.committedAt ?? 0) > (best?.committedAt ?? -1) ? each : best), null)
}

interface HeadMove {
  readonly from: string
  readonly to: string
  readonly at: number
}

/** HEAD of a work tree at a moment; `null` where its reflog does not reach that far, or the commit is gone. */
async function headAt(git: Git, gitDir: string, commonDir: string, at: number): Promise<string | null> {
  const moves = await readReflog(gitDir)
  const last = moves.findLast((move) => move.at <= at)
  // Not where the first move came from: older ones may have expired.
  const commit = last?.to
  if (commit === undefined || /^0+$/.test(commit)) return null
  return (await findMissing(git, commonDir, [`${commit}^{tree}`])).length === 0 ? commit : null
}

/** Where HEAD of a work tree went, oldest first; empty where that is not kept. */
async function readReflog(gitDir: string): Promise<HeadMove[]> {
  let text: string
  try {
    text = await loadRegularText(join(gitDir, 'logs', 'HEAD'), anySize)
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
  return text.split('\n').flatMap((line) => {
    const [, from, to, seconds] = /^([0-9a-f]{40,64}) ([0-9a-f]{40,64}) .*?> (\d+) [+-]\d{4}(?:\t|$)/.exec(line) ?? []
    return from === undefined || to === undefined ? [] : [{ from, to, at: Number(seconds) * 1000 }]
  })
}

async function newestOnBranch(git: Git, { commonDir, branch, at }: CommitWish): Promise<NearCommit | null> {
  const names = branch === null || branch === '' ? ['HEAD'] : [`refs/heads/${branch}`, `refs/remotes/origin/${branch}`, 'HEAD']
  for (const name of names) {
    if ((await findMissing(git, commonDir, [`${name}^{commit}`])).length > 0) continue
    const before = `--before=${Math.floor(at / 1000)}`
    const { stdout } = await git(['rev-list', '-1', '--first-parent', before, name, '--'], { cwd: commonDir })
    const commit = stdout.trim()
    return commit === '' ? null : describe(git, commonDir, commit, 'branch')
  }
  return null
}

/** Read as an object: what `git log` prints depends on the person's settings. */
async function describe(git: Git, commonDir: string, commit: string, from: NearCommit['from']): Promise<NearCommit | null> {
  const [object] = await readObjects(git, commonDir, [commit])
  if (object?.type !== 'commit') return null
  const [, tree] = /^tree ([0-9a-f]+)$/m.exec(object.content) ?? []
  const [, seconds] = /^committer .*> (-?\d+) [+-]\d{4}$/m.exec(object.content) ?? []
  if (tree === undefined || seconds === undefined) return null
  if ((await findMissing(git, commonDir, [tree])).length > 0) return null
  return { commit, tree, from, committedAt: Number(seconds) * 1000 }
}
