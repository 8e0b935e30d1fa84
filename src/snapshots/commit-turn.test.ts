import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { git, writeFiles } from '../../test/git/scratch.ts'
import { readTreeFiles, takeOne, useSnapshots } from '../../test/git/snapshots.ts'

const trailers = [
  ['Offshoot-Session', 'session-1'],
  ['Offshoot-Turn', 'turn-1'],
  ['Offshoot-Agent', 'claude'],
] as const

describe('the commit of a turn in a workspace', () => {
  const its = useSnapshots()
  const place = () => join(its.scratch.path, 'workspace')
  const make = () => {
    git(its.root, ['config', 'user.name', 'Someone'])
    git(its.root, ['config', 'user.email', 'someone@example.com'])
    git(its.root, ['worktree', 'add', '-q', '-b', 'offshoot/session/x', place()])
    return place()
  }
  const take = (message = 'turn 1: añadir', root = place()) =>
    its.take({ root, workspace: { branch: 'offshoot/session/x', message, trailers } })
  const log = (format: string) => git(place(), ['log', '--reverse', `--format=${format}`])
  const status = () => git(place(), ['status', '--porcelain'])

  it('holds everything the turn left, leaves nothing to commit, and says what it is', async () => {
    const root = make()
    // Neither runs: nobody asked for it, and it could stop the agent.
    writeFileSync(join(its.root, '.git/hooks/pre-commit'), '#!/bin/sh\nexit 1\n', { mode: 0o755 })
    git(its.root, ['config', 'commit.gpgsign', 'true'])
    writeFiles(root, { 'a.txt': 'changed', 'new/x': 'new', '.gitignore': 'ignored', ignored: 'i' })
    rmSync(join(root, 'd/b.txt'))
    const { commit, problem, snapshot } = await take()
    expect(problem).toBeNull()
    expect(git(root, ['rev-parse', 'offshoot/session/x']).trim()).toBe(commit)
    expect(snapshot.meta.commit).toBe(commit)
    expect(git(its.root, ['rev-parse', snapshot.ref]).trim()).toBe(snapshot.id)
    expect(git(root, ['rev-parse', 'HEAD^{tree}']).trim()).toBe(snapshot.tree)
    expect(readTreeFiles(root, 'HEAD')).toEqual({ '.gitignore': 'file ignored', 'a.txt': 'file changed', 'new/x': 'file new' })
    expect(status()).toBe('')
    expect(Buffer.from(log('%an <%ae>%n%cn%n%B'), 'latin1').toString()).toContain(
      'Someone <someone@example.com>\nSomeone\nturn 1: añadir\n\nOffshoot-Session: session-1\nOffshoot-Turn: turn-1\nOffshoot-Agent: claude\n',
    )
    expect(log('%(trailers:key=Offshoot-Agent,valueonly)').trim()).toBe('claude')
    expect(git(root, ['reflog', '-1', '--format=%gs'])).toContain('commit: turn 1')
  })

  it('is not made where nothing changed, and goes on from turn to turn', async () => {
    make()
    expect(await take()).toMatchObject({ commit: null, problem: null })
    for (const text of ['one', 'two', 'three']) {
      writeFiles(place(), { 'a.txt': text, [text]: text })
      expect(await take(text)).toMatchObject({ problem: null, commit: expect.stringMatching(/^\w{40}$/) })
      expect(await take(text)).toMatchObject({ commit: null, problem: null, unchanged: true })
      expect(status()).toBe('')
    }
    expect(log('%s')).toBe('first\none\ntwo\nthree\n')
    expect(readTreeFiles(place(), 'HEAD~1')).toMatchObject({ 'a.txt': 'file two', one: 'file one', two: 'file two' })
  })

  it('comes on top of what the agent committed itself, and of what it only staged', async () => {
    const root = make()
    writeFiles(root, { own: 'o', 'a.txt': 'edited' })
    git(root, ['add', 'own'])
    git(root, ['commit', '-qm', 'own'])
    git(root, ['rm', '-q', '--cached', 'd/b.txt'])
    expect(await take('turn')).toMatchObject({ problem: null })
    expect(log('%s')).toBe('first\nown\nturn\n')
    expect(status()).toBe('')
    expect(readTreeFiles(root, 'HEAD')).toHaveProperty(['d/b.txt'])
  })

  it('sees an edit of the same size right after it', async () => {
    const root = make()
    for (const text of ['1', '2', '3']) {
      writeFiles(root, { 'a.txt': text })
      await take(text)
      writeFiles(root, { 'a.txt': `${Number(text) + 1}` })
      expect(status()).toBe(' M a.txt\n')
    }
  })

  it('begins the history of a workspace without one, in the name of offshoot where nobody has one', async () => {
    const root = join(its.scratch.path, 'workspace')
    git(its.scratch.path, ['init', '-q', '-b', 'offshoot/session/x', root])
    writeFiles(root, { one: '1' })
    expect(await take('turn 1')).toMatchObject({ problem: null })
    expect(log('%s %an %ce')).toBe('turn 1 offshoot offshoot@localhost\n')
    expect(status()).toBe('')
  })

  it.each([
    ['HEAD is elsewhere', (root: string) => git(root, ['checkout', '-q', '--detach']), /not on the workspace's branch/],
    [
      'a merge is in progress',
      (root: string) => writeFileSync(join(dirname(indexOf(root)), 'MERGE_HEAD'), git(root, ['rev-parse', 'HEAD'])),
      /merge is in progress/,
    ],
    ['a rebase is in progress', rebase, /rebase is in progress/],
    ['another git holds the index', (root: string) => writeFileSync(`${indexOf(root)}.lock`, ''), /index\.lock/],
  ])('is not made while %s; the turn is captured all the same', async (_, prepare, wanted) => {
    const root = make()
    writeFiles(root, { 'a.txt': 'changed' })
    prepare(root)
    const index = readFileSync(indexOf(root))
    const { commit, problem, snapshot } = await take()
    expect(commit).toBeNull()
    expect(problem).toMatch(wanted)
    expect(readTreeFiles(root, snapshot.tree)).toMatchObject({ 'a.txt': 'file changed' })
    expect(git(root, ['rev-parse', 'offshoot/session/x'])).toBe(git(its.root, ['rev-parse', 'main']))
    expect(readFileSync(indexOf(root))).toEqual(index)
  })

  it.each(['committed', 'locked index', 'moved branch'])(
    'that was killed when it had %s does not stand in the way',
    async (step) => {
      const root = make()
      writeFiles(root, { 'a.txt': 'changed', new: 'n' })
      const index = join(its.scratch.path, 'captures', 'index-1')
      const request = { root, index, turnKey: 'turn-1', branch: 'offshoot/session/x' }
      expect(takeOne({ ...request, killAfter: step })).toBeNull()
      expect(git(its.root, ['rev-parse', 'refs/offshoot/claude/session-1/turn-1/end:wt'])).toMatch(/^\w{40}\n$/)
      writeFiles(root, { 'a.txt': 'changed again' })
      expect(await take('next')).toMatchObject({ problem: null, commit: expect.any(String) })
      expect(status()).toBe('')
      expect(readTreeFiles(root, 'HEAD')).toMatchObject({ 'a.txt': 'file changed again', new: 'file n' })
      expect(git(its.root, ['fsck', '--no-dangling'])).toBe('')
    },
  )

  function rebase(root: string): void {
    git(root, ['checkout', '-q', '--detach'])
    mkdirSync(git(root, ['rev-parse', '--path-format=absolute', '--git-path', 'rebase-merge']).trim())
  }

  function indexOf(root: string): string {
    return git(root, ['rev-parse', '--path-format=absolute', '--git-path', 'index']).trim()
  }
})
