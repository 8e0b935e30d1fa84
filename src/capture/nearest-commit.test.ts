import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { exec } from '../lib/exec.ts'
import { createGit } from '../snapshots/git.ts'
import { type CommitWish, findNearestCommit } from './nearest-commit.ts'

const env = { PATH: process.env.PATH, HOME: '/nonexistent' }
const git = createGit({ exec, env })
let repo: string
beforeEach(() => {
  repo = realpathSync(mkdtempSync(join(tmpdir(), 'offshoot-nearest-')))
  run(0, 'init', '-q', '-b', 'main')
})
afterEach(() => rmSync(repo, { recursive: true, force: true }))

/** `minute` is when git believes it is. */
function run(minute: number, ...args: string[]): string {
  const date = `${1_800_000_000 + minute * 60} +0000`
  const who = {
    GIT_AUTHOR_NAME: 'T',
    GIT_AUTHOR_EMAIL: 't@example.org',
    GIT_COMMITTER_NAME: 'T',
    GIT_COMMITTER_EMAIL: 't@example.org',
  }
  const dates = { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date }
  return execFileSync('git', args, { cwd: repo, env: { ...env, ...who, ...dates }, encoding: 'utf8' }).trim()
}

function commit(minute: number): string {
  run(minute, 'commit', '-q', '--allow-empty', '-m', `at ${minute}`)
  return run(minute, 'rev-parse', 'HEAD')
}

function nearest(minute: number, wish: Partial<CommitWish> = {}) {
  const commonDir = join(repo, '.git')
  const at = (1_800_000_000 + minute * 60) * 1000
  return findNearestCommit(git, { commonDir, gitDir: commonDir, branch: 'main', startCommit: null, at, ...wish })
}

it('takes what was checked out then, by the reflog, though the branch has gone on or was rewritten', async () => {
  const first = commit(1)
  const second = commit(5)
  run(9, 'commit', '-q', '--amend', '--allow-empty', '-m', 'amended')
  run(12, 'checkout', '-q', '-b', 'other', first)
  expect(await nearest(3)).toMatchObject({ commit: first, from: 'reflog' })
  expect(await nearest(6)).toMatchObject({ commit: second, from: 'reflog', tree: run(0, 'rev-parse', `${second}^{tree}`) })
  expect(await nearest(13)).toMatchObject({ commit: first, from: 'reflog' })
})

it('goes by the dates of the branch where the work tree is gone', async () => {
  const first = commit(1)
  const second = commit(5)
  const gone = { gitDir: null }
  expect(await nearest(3, gone)).toMatchObject({ commit: first, from: 'branch', committedAt: 1_800_000_060_000 })
  expect(await nearest(6, gone)).toMatchObject({ commit: second })
  expect(await nearest(6, { ...gone, branch: 'never-was' })).toMatchObject({ commit: second })
  expect(await nearest(0, gone)).toBeNull()
})

it('does not take the oldest move that is left for where HEAD was before: older ones may have expired', async () => {
  const first = commit(1)
  commit(5)
  commit(9)
  const reflog = join(repo, '.git', 'logs', 'HEAD')
  writeFileSync(reflog, readFileSync(reflog, 'utf8').split('\n').slice(2).join('\n'))
  expect(await nearest(3)).toMatchObject({ commit: first, from: 'branch' })
})

it('takes the commit the agent recorded where the branch knows none as late', async () => {
  const first = commit(1)
  const recorded = commit(4)
  run(5, 'reset', '-q', '--hard', first)
  expect(await nearest(6, { gitDir: null, startCommit: recorded })).toMatchObject({ commit: recorded, from: 'recorded' })
  expect(await nearest(6, { gitDir: null, startCommit: 'f'.repeat(40) })).toMatchObject({ commit: first, from: 'branch' })
})

it('only names commits that are still there', async () => {
  const first = commit(1)
  const lost = commit(5)
  run(6, 'reset', '-q', '--hard', first)
  run(7, 'update-ref', '-d', 'ORIG_HEAD')
  rmSync(join(repo, '.git', 'objects', lost.slice(0, 2), lost.slice(2)))
  expect(await nearest(5)).toMatchObject({ commit: first, from: 'branch' })
})

it('says nothing of a repository without commits', async () => {
  expect(await nearest(9)).toBeNull()
})
