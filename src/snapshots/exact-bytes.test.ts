import { mkdirSync, readFileSync, readlinkSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { git, testGit, writeFiles } from '../../test/git/scratch.ts'
import { useSnapshots } from '../../test/git/snapshots.ts'
import { openWorkTree } from '../../test/git/snapshots-of.ts'
import { createWorkspace } from './workspace.ts'
import { planWorkspace } from './workspace-plan.ts'

/** Attributes and settings decide which bytes git writes; what counts is which lay there, whatever was true before and after. */
describe('a fork has the bytes that lay there', () => {
  const its = useSnapshots()
  const env = () => ({ XDG_CONFIG_HOME: join(its.scratch.path, 'config') })
  const calls = () => testGit({ ...process.env, ...env() })
  const person = (...args: string[]) => git(its.root, args, { env: env() })
  const take = async (turnKey: string) => (await its.take({ git: calls(), meta: { turnKey } })).snapshot.id
  const saidByPerson = (attributes: string) => {
    const folder = join(env().XDG_CONFIG_HOME, 'git')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'attributes'), attributes)
  }
  /** And git has looked at it: it is not written in the same second as the index, which makes git look again. */
  const asOldAs = (seconds: number) => {
    for (const name of ['a.txt', 'd/b.txt']) utimesSync(join(its.root, name), seconds, seconds)
    person('update-index', '-q', '--refresh')
  }
  const read = (root: string, name = 'a.txt') => readFileSync(join(root, name), 'latin1')
  const fork = async (snapshot: string) => {
    const workTree = await openWorkTree(its.root)
    const plan = await planWorkspace(calls(), workTree, { worktreesRoot: join(its.scratch.path, 'wt'), baseCommit: null })
    const { report } = await createWorkspace(calls(), workTree, plan, { snapshot })
    expect(report.differences).toEqual([])
    return plan.path
  }

  it('a file with bytes of its own became a link, and nothing else changed', async () => {
    writeFiles(its.root, { '.gitattributes': '*.txt text\n', 'a.txt': 'one\r\n' })
    await take('one')
    rmSync(join(its.root, 'a.txt'))
    symlinkSync('d', join(its.root, 'a.txt'))
    expect(readlinkSync(join(await fork(await take('two')), 'a.txt'))).toBe('d')
  })

  it('attributes came and went between two turns', async () => {
    asOldAs(1e9)
    await take('one')
    writeFiles(its.root, { '.gitattributes': '*.txt text eol=crlf\n' })
    rmSync(join(its.root, 'a.txt'))
    person('checkout', '--', 'a.txt')
    asOldAs(1e9 + 100)
    rmSync(join(its.root, '.gitattributes'))
    expect(read(its.root)).toBe('a\r\n')
    expect(read(await fork(await take('two')))).toBe('a\r\n')
  })

  it("attributes of the person's own came in mid-session", async () => {
    await take('one')
    saidByPerson('*.txt text\n')
    writeFiles(its.root, { 'a.txt': 'edited\r\n', 'new.txt': 'new\r\n' })
    const path = await fork(await take('two'))
    expect([read(path), read(path, 'new.txt')]).toEqual(['edited\r\n', 'new\r\n'])
    saidByPerson('*.txt text eol=lf\n')
    writeFiles(its.root, { 'a.txt': 'again\r\n' })
    const next = await fork(await take('three'))
    expect([read(next), read(next, 'new.txt')]).toEqual(['again\r\n', 'new\r\n'])
  })

  it('attributes with a filter were gone before the first look', async () => {
    person('config', 'filter.turn.clean', 'tr a-z n-za-m')
    person('config', 'filter.turn.smudge', 'tr a-z n-za-m')
    const attributes = join(its.root, '.git/info/attributes')
    writeFileSync(attributes, '*.txt filter=turn\n')
    writeFiles(its.root, { 'a.txt': 'plain\n' })
    person('add', '-A')
    person('commit', '-qm', 'filtered')
    asOldAs(1e9)
    rmSync(attributes)
    expect(read(await fork(await take('one')))).toBe('plain\n')
  })

  it.each([
    ['settings', () => void person('config', 'core.autocrlf', 'true')],
    ["attributes of the person's own", () => saidByPerson('*.txt text eol=crlf\n')],
  ])('%s came after the snapshot', async (_, come) => {
    writeFiles(its.root, { 'a.txt': 'edited\n', 'new.txt': 'new\n' })
    const id = await take('one')
    come()
    const path = await fork(id)
    expect(['a.txt', 'd/b.txt', 'new.txt'].map((name) => read(path, name))).toEqual(['edited\n', 'b\n', 'new\n'])
  })
})
