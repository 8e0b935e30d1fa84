// A filter that cannot write its files (git-lfs not installed, an object not fetched) ends all of git's checkout. One file must
// not cost a whole workspace: it is done again without that filter, and said.
import { AppError } from '../model/error.ts'
import { splitRecords } from './byte-path.ts'
import type { Git } from './git.ts'

/** A filter that stays running (LFS) could not be started: by chance git names a file, or none; all of that kind are meant. */
export const filterGone = /^fatal: the remote end hung up unexpectedly$/m

const fault = /^fatal: ([\s\S]*?): smudge filter (\S+) failed$/m

export interface FailedFilter {
  /** As git shows it. */
  readonly path: string
  readonly name: string
}

/** From what git said. */
export function findFailedFilter(said: string): FailedFilter | null {
  const [, path, name] = fault.exec(said) ?? []
  return path === undefined || name === undefined ? null : { path, name }
}

/** Calls again without each filter that failed; `work` must bear being done again. */
export async function withoutFailedFilters<T>(
  git: Git,
  work: (git: Git) => Promise<T>,
): Promise<{ readonly result: T; readonly failed: readonly string[] }> {
  const failed: string[] = []
  for (;;) {
    const config = Object.assign({}, ...failed.map(turnOff)) as Record<string, string>
    try {
      const result = await work((args, call) => git(args, { ...call, config: { ...call.config, ...config } }))
      return { result, failed }
    } catch (error) {
      const names = (await failedNamesOf(git, error)).filter((name) => !failed.includes(name))
      if (names.length === 0) throw error
      failed.push(...names)
    }
  }
}

/** Both ways: files that hold what git stores are then also compared as such. */
export function turnOff(name: string): Record<string, string> {
  const setting = `filter.${name}`
  return { [`${setting}.smudge`]: '', [`${setting}.clean`]: '', [`${setting}.process`]: '', [`${setting}.required`]: 'false' }
}

/** All that stay running, where git does not say which could not be started. */
export async function failedNamesOf(git: Git, error: unknown): Promise<string[]> {
  const named = failedFilterOf(error)?.name
  if (named !== undefined) return [named]
  const details = error instanceof AppError ? (error.details as { stderr?: unknown; cwd?: unknown } | null | undefined) : null
  const cwd = details?.cwd
  if (!filterGone.test(String(details?.stderr)) || typeof cwd !== 'string') return []
  const args = ['config', '-z', '--name-only', '--get-regexp', '^filter\\..*\\.process$']
  const names = splitRecords((await git(args, { cwd, accept: [0, 1] })).stdout)
  return [...new Set(names.map((name) => name.slice('filter.'.length, -'.process'.length)))]
}

export function failedFilterOf(error: unknown): FailedFilter | null {
  if (!(error instanceof AppError) || typeof error.details !== 'object' || error.details === null) return null
  return 'stderr' in error.details ? findFailedFilter(String(error.details.stderr)) : null
}
