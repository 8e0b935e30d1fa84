import { beforeEach, describe, expect, it } from 'vitest'
import { observe } from '../../test/git/observe.ts'
import { git, writeFiles } from '../../test/git/scratch.ts'
import { useWorkspaces } from '../../test/git/workspaces.ts'

describe('carrying a work tree in the middle of an operation', () => {
  const its = useWorkspaces()

  beforeEach(() => {
    git(its.root, ['checkout', '-q', '-b', 'other'])
    writeFiles(its.root, { 'a.txt': 'theirs\n' })
    git(its.root, ['commit', '-qam', 'theirs'])
    git(its.root, ['checkout', '-q', 'main'])
    writeFiles(its.root, { 'a.txt': 'ours\n' })
    git(its.root, ['commit', '-qam', 'ours'])
  })

  it('a merge is carried with its conflict and can be committed as a merge', async () => {
    git(its.root, ['merge', '-q', 'other'], { mayFail: true })
    const wanted = observe(its.root)
    const { path, report } = await its.fork()
    expect(observe(path)).toEqual(wanted)
    expect(report.operation).toEqual({ kind: 'merge', carried: true })
    writeFiles(path, { 'a.txt': 'both\n' })
    git(path, ['commit', '-qam', 'merged'])
    const [ours, theirs] = git(path, ['rev-parse', 'HEAD^1', 'HEAD^2']).split('\n')
    expect([ours, theirs]).toEqual(git(its.root, ['rev-parse', 'main', 'other']).trim().split('\n'))
    expect(git(its.root, ['status', '--porcelain'])).toBe('UU a.txt\n')
  })

  it('a cherry-pick keeps its author', async () => {
    git(its.root, ['checkout', '-q', 'other'])
    git(its.root, ['commit', '-q', '--amend', '--no-edit', '--author=Ann <ann@example.invalid>'])
    git(its.root, ['checkout', '-q', 'main'])
    git(its.root, ['cherry-pick', 'other'], { mayFail: true })
    const { path } = await its.fork()
    writeFiles(path, { 'a.txt': 'both\n' })
    git(path, ['add', 'a.txt'])
    git(path, ['-c', 'core.editor=true', 'cherry-pick', '--continue'], { env: { GIT_AUTHOR_NAME: '', GIT_AUTHOR_EMAIL: '' } })
    expect(git(path, ['log', '-1', '--format=%an'])).toBe('Ann\n')
  })

  it('a rebase is reported: its files come along, its list of commits does not', async () => {
    git(its.root, ['rebase', 'other'], { mayFail: true })
    const wanted = observe(its.root)
    const { path, report } = await its.fork()
    expect(observe(path)).toEqual(wanted)
    expect(report.operation).toEqual({ kind: 'rebase', carried: false })
    expect(git(path, ['status'])).not.toContain('rebase')
  })
})
