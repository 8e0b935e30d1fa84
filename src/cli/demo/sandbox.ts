// A home folder of its own for the demo: a small git repository and sessions of both agents about it. Nothing here knows
// where the person's real folders are.
import { appendFileSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { exec } from '../../lib/exec.ts'
import { writeSampleSessions } from './sample-sessions.ts'

export interface Sandbox {
  readonly home: string
  readonly repository: string
  /** All there is of an environment: no agent folder, no git setting of the person's gets in. */
  readonly vars: Readonly<Record<string, string>>
  /** False when there is no git on this machine: the demo then works without a repository. */
  readonly hasGit: boolean
}

export async function buildSandbox(folder: string, path: string, now: number): Promise<Sandbox> {
  const home = realpathSync(folder)
  const repository = join(home, 'todo')
  const vars = {
    PATH: path,
    HOME: home,
    OFFSHOOT_HOME: join(home, '.offshoot'),
    CLAUDE_CONFIG_DIR: join(home, '.claude'),
    CODEX_HOME: join(home, '.codex'),
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
  }
  mkdirSync(repository)
  writeFileSync(join(repository, 'README.md'), '# todo\n\nA list of things to do, in one file.\n')
  writeFileSync(join(repository, 'todo.mjs'), 'export const add = (list, title) => [...list, { title, done: false }]\n')
  const hasGit = await makeRepository(repository, vars)
  // Work that is not committed yet, as there always is: a fork can take it along.
  appendFileSync(join(repository, 'todo.mjs'), 'export const sort = (list) => list.toSorted((a, b) => a.due - b.due)\n')
  writeFileSync(join(repository, 'ideas.md'), '- remind people by mail\n')
  writeSampleSessions({ claude: vars.CLAUDE_CONFIG_DIR, codex: vars.CODEX_HOME, repository, now })
  return { home, repository, vars, hasGit }
}

async function makeRepository(cwd: string, env: Readonly<Record<string, string>>): Promise<boolean> {
  const identity = ['-c', 'user.name=Demo', '-c', 'user.email=demo@example.test', '-c', 'commit.gpgsign=false']
  for (const args of [
    ['init', '--quiet', '--initial-branch=main'],
    ['add', '.'],
    [...identity, 'commit', '--quiet', '-m', 'A list of things to do'],
  ]) {
    const { exitCode } = await exec('git', args, { cwd, env, timeoutMs: 10_000 })
    if (exitCode !== 0) return false
  }
  return true
}
