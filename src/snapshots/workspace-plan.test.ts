import { existsSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { git, writeFiles } from '../../test/git/scratch.ts'
import { useWorkspaces } from '../../test/git/workspaces.ts'

describe('planned workspaces', () => {
  const its = useWorkspaces()

  it('have a short id, a place and a branch, and nothing is made yet', async () => {
    const planned = await its.plan()
    expect(planned.id).toMatch(/^[a-z2-7]{8}$/)
    expect(planned.path).toBe(join(its.worktreesRoot, 'my-repo', planned.id))
    expect(planned.branch).toBe(`offshoot/session/${planned.id}`)
    expect(planned.notes).toEqual([])
    expect(existsSync(its.worktreesRoot)).toBe(false)
    expect((await its.plan()).id).not.toBe(planned.id)
  })

  it.each([
    ['offshoot', 'offshoot-session/'],
    ['offshoot/session', 'offshoot-session/'],
  ])('get around a branch named %s, and say so', async (taken, prefix) => {
    git(its.root, ['branch', taken])
    const planned = await its.plan()
    expect(planned.branch).toBe(prefix + planned.id)
    expect(planned.notes).toEqual([expect.stringContaining(`beside the branch ${taken}`)])
    await its.create(planned)
    expect(its.branches()).toContain(planned.branch)
  })

  it('get around both names being taken', async () => {
    git(its.root, ['branch', 'offshoot'])
    git(its.root, ['branch', 'offshoot-session'])
    const planned = await its.plan()
    expect(planned.branch).toBe(`offshoot-session-${planned.id}`)
  })

  it.each(['has space', '-x', 'a..b', 'x.lock', '/x', 'x/', '@{-1}', 'HEAD', 'a:b', '', 'refs/heads/main', 'refs/x'])(
    'refuse "%s" as a branch',
    async (branch) => {
      await expect(its.plan({ branch })).rejects.toMatchObject({ code: 'usage' })
    },
  )

  it.each([
    ['main', 'exists already'],
    ['main/deeper', 'beside the branch main'],
    ['topic', 'beside the branch topic/a'],
  ])('refuse the branch %s that cannot be made', async (branch, reason) => {
    git(its.root, ['branch', 'topic/a'])
    await expect(its.plan({ branch })).rejects.toMatchObject({ code: 'branch_taken', message: expect.stringContaining(reason) })
  })

  it('refuse a place that is taken, even by a link that leads nowhere', async () => {
    writeFiles(its.worktreesRoot, { file: 'x' })
    symlinkSync('nowhere', join(its.worktreesRoot, 'link'))
    for (const path of ['file', 'link', join(its.root, 'd')])
      await expect(its.plan({ path })).rejects.toMatchObject({ code: 'file_exists' })
    await expect(its.plan({ path: 'link/below' })).rejects.toMatchObject({ code: 'failed' })
  })

  it('refuse a place inside a work tree unless it is ignored there', async () => {
    const path = join(its.root, '.offshoot', 'one')
    await expect(its.plan({ path })).rejects.toMatchObject({ code: 'refused', hint: expect.stringContaining('info/exclude') })
    await expect(its.plan({ path: join(its.root, '.git', 'one') })).rejects.toMatchObject({ code: 'refused' })
    writeFileSync(join(its.root, '.git', 'info', 'exclude'), '.offshoot/\n')
    await its.create(await its.plan({ path }))
    expect(git(its.root, ['status', '--porcelain'])).toBe('')
  })

  it('see through a link into the work tree', async () => {
    symlinkSync(its.root, join(its.scratch.path, 'shortcut'))
    await expect(its.plan({ path: join(its.scratch.path, 'shortcut', 'one') })).rejects.toMatchObject({ code: 'refused' })
  })
})
