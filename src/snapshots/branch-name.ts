// Finds a name for a new branch. Branches are paths: with a branch `offshoot` there can be no `offshoot/session/x`.
import { AppError } from '../model/error.ts'
import { showPath } from './byte-path.ts'
import type { Git } from './git.ts'

export interface BranchChoice {
  readonly branch: string
  /** Said to the person when it is not the usual name. */
  readonly note: string | null
}

const usualPrefix = 'offshoot/session/'
const otherPrefixes = ['offshoot-session/', 'offshoot-session-']

export async function chooseBranch(git: Git, cwd: string, id: string): Promise<BranchChoice> {
  const usual = await findObstacle(git, cwd, usualPrefix + id)
  if (usual === null) return { branch: usualPrefix + id, note: null }
  for (const prefix of otherPrefixes) {
    if ((await findObstacle(git, cwd, prefix + id)) !== null) continue
    const note = `The branch is named ${prefix}${id}: ${usualPrefix}${id} cannot be made beside the branch ${usual}.`
    return { branch: prefix + id, note }
  }
  throw new AppError('branch_taken', `No branch can be made for ${id}: the branch ${usual} is in the way.`)
}

/** A name the person chose: taken as it is, or refused with the reason. */
export async function checkBranch(git: Git, cwd: string, branch: string): Promise<void> {
  const { exitCode } = await git(['check-ref-format', '--branch', branch], { cwd, accept: [0, 1, 128] })
  // `@{-1}` would be the branch one was on before: a name for what exists, not for something new.
  if (exitCode !== 0 || branch.startsWith('@{') || branch === 'HEAD') {
    throw new AppError('usage', `"${branch}" is no name for a branch.`, {
      hint: 'See `git help check-ref-format` for what is allowed.',
    })
  }
  // Git would make `refs/heads/refs/heads/main`, which `refs/heads/main` then means as well.
  if (branch.startsWith('refs/')) {
    throw new AppError('usage', `"${branch}" is a ref, not the name of a branch.`, {
      hint: 'Give the name without `refs/heads/` in front.',
    })
  }
  const obstacle = await findObstacle(git, cwd, branch)
  if (obstacle === branch) throw new AppError('branch_taken', `The branch ${branch} exists already.`)
  if (obstacle !== null) throw new AppError('branch_taken', `The branch ${branch} cannot be made beside the branch ${obstacle}.`)
}

/** The existing branch that keeps this one from being made: itself, one above it or one below it. */
async function findObstacle(git: Git, cwd: string, branch: string): Promise<string | null> {
  const steps = branch.split('/')
  const above = steps.map((_, count) => steps.slice(0, count + 1).join('/'))
  const patterns = above.map((name) => `refs/heads/${name}`)
  const { stdout } = await git(['for-each-ref', '--format=%(refname)', ...patterns], { cwd })
  const existing = showPath(stdout)
    .split('\n')
    .map((ref) => ref.slice('refs/heads/'.length))
  return existing.find((name) => above.includes(name) || name.startsWith(`${branch}/`)) ?? null
}
