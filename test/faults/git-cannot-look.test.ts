// Git says "not a git repository" and ends with 128 also where it was not able to look. Nobody takes that for "there is nothing here".
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { exec } from '../../src/lib/exec.ts'
import { createGit } from '../../src/snapshots/git.ts'
import { findRepositoryIfAny } from '../../src/snapshots/repository.ts'
import { createFaultHome, type FaultHome } from './fault-home.ts'
import { armShim, shim } from './shim.ts'

describe.skipIf(shim === null)('git that cannot look', () => {
  let home: FaultHome
  beforeAll(async () => {
    home = await createFaultHome()
  })
  afterAll(async () => await home.remove())

  /** Runs offshoot with a `git` that meets EACCES at its first look when it is asked to do `what`. */
  function withFailingGit(what: string): Record<string, string> {
    const folder = join(home.aside, what.replaceAll(' ', '-'))
    mkdirSync(folder, { recursive: true })
    const armed = Object.entries(armShim(shim ?? '', { errno: 'EACCES', at: 1 }, home.live, home.aside))
    const variables = armed.map(([name, value]) => `export ${name}='${value}'`).join('\n')
    const git = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim()
    writeFileSync(join(folder, 'git'), `#!/bin/sh\ncase "$*" in *'${what}'*)\n${variables}\n;; esac\nexec ${git} "$@"\n`)
    chmodSync(join(folder, 'git'), 0o755)
    return { PATH: `${folder}:${home.vars.PATH}` }
  }

  const listed = (...args: string[]) =>
    execFileSync('git', args, { cwd: home.repository, encoding: 'utf8' }).trim().split('\n').filter(Boolean)
  const branches = () => listed('for-each-ref', '--format=%(refname)', 'refs/heads/offshoot')
  const workTrees = () => listed('worktree', 'list').slice(1)

  test.each(['worktree remove', 'for-each-ref', 'update-ref'])(
    'undo reports what is left when `git %s` fails, and the next one goes on',
    async (what) => {
      await home.reset()
      expect(branches()).toHaveLength(1)
      const failed = await home.run(['undo', home.forkId], { env: withFailingGit(what) })
      expect(failed.status).toBe(1)
      expect(failed.stderr).toContain('Permission denied')
      expect(failed.stderr).toMatch(/still there: the branch offshoot\/session\/\w+/)
      expect(failed.stderr).toContain(`offshoot undo ${home.forkId}`)
      expect(branches()).toHaveLength(1)
      const again = await home.run(['undo', home.forkId])
      expect({ status: again.status, stderr: again.stderr }).toMatchObject({ status: 0 })
      expect([branches(), workTrees()]).toEqual([[], []])
    },
  )

  test('a repository whose HEAD may not be read is not taken for a folder without one', async () => {
    await home.reset()
    const env = armShim(shim ?? '', { errno: 'EACCES', at: 1, sticky: true }, join(home.repository, '.git', 'HEAD'), home.aside)
    const { status, stderr } = await home.run(['fork', 'claude:4be17d5c@1', '--dry-run'], { env })
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining('Permission denied') })
    expect(stderr).toContain(join(home.repository, '.git', 'HEAD'))
  })

  test('gc keeps a branch that it cannot look at', async () => {
    await home.reset()
    const [path = ''] = workTrees().map((line) => line.split(' ')[0])
    const message = ['-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '--allow-empty', '-m', 'work']
    execFileSync('git', message, { cwd: path })
    rmSync(path, { recursive: true })
    const failed = await home.run(['gc', '--force'], { env: withFailingGit('rev-parse --quiet --verify refs/heads/') })
    // It is said, and the rest is looked at all the same.
    expect({ status: failed.status, stdout: failed.stdout }).toEqual({
      status: 0,
      stdout: expect.stringMatching(/passed over: .*Permission denied/),
    })
    expect(branches()).toHaveLength(1)
  })
})

test.skipIf(shim === null).each(['EACCES', 'EMFILE', 'EIO'] as const)(
  'a repository is found, or the reason is reported, at whatever call of git fails with %s',
  async (errno) => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), 'offshoot-look-')))
    try {
      const [repository, aside] = [join(root, 'repository'), join(root, 'aside')]
      for (const folder of [repository, aside]) mkdirSync(folder)
      execFileSync('git', ['init', '-q', repository])
      const look = async (at: number) => {
        const env = { ...process.env, ...armShim(shim ?? '', { errno, at }, repository, aside) }
        const found = await findRepositoryIfAny(createGit({ exec, env }), repository).catch((error: { code?: string }) => error)
        return found === null ? 'none' : 'root' in found ? 'found' : found.code
      }
      const outcomes: (string | undefined)[] = []
      for (let at = 1; at <= 20; at += 1) outcomes.push(await look(at))
      expect(outcomes).toContain('found')
      expect(outcomes.filter((each) => each === 'none' || each === 'repo_not_found')).toEqual([])
    } finally {
      rmSync(root, { recursive: true })
    }
  },
)
