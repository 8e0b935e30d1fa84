import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { type HandOptions, handSnapshot } from '../../test/git/hand-snapshot.ts'
import { listTouched, takeInventory } from '../../test/git/observe.ts'
import { at, git, testGit, there, writeFiles } from '../../test/git/scratch.ts'
import { useWorkspaces } from '../../test/git/workspaces.ts'
import { findRepository, type WorkTree } from './repository.ts'
import { restoreFiles } from './restore-files.ts'
import { type CodeTree, planRestore } from './restore-plan.ts'

describe('bringing files back', () => {
  const its = useWorkspaces()
  let then: CodeTree
  const state = (options?: HandOptions): CodeTree => {
    const { tree, id } = handSnapshot(its.root, options)
    return { tree, snapshot: id }
  }
  const workTree = async (): Promise<WorkTree> => ({ ...(await findRepository(testGit(), its.root)), root: its.root })
  const plan = async (paths: string[] = [], from: CodeTree = state()) =>
    planRestore(testGit(), await workTree(), from, then, paths)
  const restore = async (paths: string[] = [], from: CodeTree = state(), to: CodeTree = then) =>
    restoreFiles(testGit(), await workTree(), from, to, paths)
  const read = (name: string) => readFileSync(join(its.root, name), 'utf8')
  beforeEach(() => {
    writeFiles(its.root, { 'a.txt': 'then\n', 'c.txt': 'then\n', 'e/f/g.txt': 'then\n', '.gitignore': '*.log\nign/\n' })
    writeFileSync(join(its.root, 'run.sh'), 'x\n', { mode: 0o755 })
    symlinkSync('a.txt', join(its.root, 'link'))
    then = state()
  })

  it('shows first what it will do, and touches nothing for that', async () => {
    writeFiles(its.root, { 'a.txt': 'now\n', 'new.txt': 'now\n' })
    rmSync(join(its.root, 'c.txt'))
    const from = state()
    const before = takeInventory(its.root)
    expect(await plan([], from)).toEqual({
      root: its.root,
      changes: [
        { path: 'a.txt', status: 'M', added: 1, removed: 1 },
        { path: 'c.txt', status: 'A', added: 1, removed: 0 },
        { path: 'new.txt', status: 'D', added: 0, removed: 1 },
      ],
      refused: [],
      warnings: [],
      seen: { from: from.tree, to: then.tree },
    })
    expect(listTouched(before, takeInventory(its.root))).toEqual([])
  })

  it('brings all of it back: contents, kinds, bits, odd names; and the index stays as it is', async () => {
    writeFileSync(at(its.root, 'n\xff\n"'), 'then\n')
    then = state()
    writeFiles(its.root, { 'a.txt': 'now\n', 'x/new.txt': 'now\n' })
    for (const name of ['c.txt', 'link', 'e']) rmSync(join(its.root, name), { recursive: true })
    rmSync(at(its.root, 'n\xff\n"'))
    writeFiles(its.root, { link: 'a file now\n', e: 'a file where a folder was\n' })
    chmodSync(join(its.root, 'run.sh'), 0o644)
    git(its.root, ['add', 'a.txt'])
    const untouched = lstatSync(join(its.root, 'd/b.txt'), { bigint: true })
    const index = readFileSync(join(its.root, '.git/index'))
    const from = state()
    const { restored, refused } = await restore([], from)
    expect(refused).toEqual([])
    expect(restored).toEqual(['a.txt', 'c.txt', 'e', 'e/f/g.txt', 'link', 'n\ufffd\n"', 'run.sh', 'x/new.txt'])
    expect(state().tree).toBe(then.tree)
    expect(readlinkSync(join(its.root, 'link'))).toBe('a.txt')
    expect(lstatSync(join(its.root, 'run.sh')).mode & 0o111).not.toBe(0)
    expect(existsSync(join(its.root, 'x'))).toBe(false)
    expect(there(at(its.root, 'n\xff\n"'))).toBe(true)
    expect(readFileSync(join(its.root, '.git/index')).equals(index)).toBe(true)
    expect(git(its.root, ['show', ':a.txt'])).toBe('now\n')
    expect(lstatSync(join(its.root, 'd/b.txt'), { bigint: true })).toEqual(untouched)
    expect(readdirSync(join(its.root, '.git')).filter((name) => name.startsWith('offshoot'))).toEqual([])
    // And back again, which is what undo does.
    await restoreFiles(testGit(), await workTree(), then, from)
    expect(state().tree).toBe(from.tree)
  })

  it('takes only the named files and folders', async () => {
    writeFiles(its.root, { 'a.txt': 'now\n', 'c.txt': 'now\n', 'e/f/g.txt': 'now\n', 'e/new': 'now\n' })
    expect((await restore(['e', join(its.root, 'c.txt'), './d/'])).restored).toEqual(['c.txt', 'e/f/g.txt', 'e/new'])
    expect(read('a.txt')).toBe('now\n')
    expect((await plan(['d', 'nowhere'])).warnings).toEqual([
      'd is the same in both states, or in neither.',
      'nowhere is the same in both states, or in neither.',
    ])
  })

  it('takes names as they were shown, and as many as there are', async () => {
    const many = Array.from({ length: 3000 }, (_, number) => `many/${'x'.repeat(40)}${number}`)
    writeFiles(its.root, Object.fromEntries(many.map((name) => [name, 'now\n'])))
    writeFileSync(at(its.root, 'n\xff'), 'now\n')
    writeFiles(its.root, { 'a.txt': 'now\n' })
    expect((await restore(['n\ufffd'])).restored).toEqual(['n\ufffd'])
    expect((await restore([...many, 'gone\ufffd'])).restored).toHaveLength(3000)
    expect(read('a.txt')).toBe('now\n')
  })

  it('refuses paths outside of the work tree and those of git itself', async () => {
    writeFiles(its.root, { 'a.txt': 'now\n' })
    const paths = ['../x', '/etc/passwd', 'e/../../x', '.git/config', 'd/.GIT/x']
    const { restored, refused } = await restore(paths)
    expect(restored).toEqual([])
    expect(refused.map(({ path }) => path)).toEqual(paths)
    expect(read('a.txt')).toBe('now\n')
    expect((await restore([its.root])).restored).toEqual(['a.txt'])
  })

  it('does not follow links out of the work tree', async () => {
    const outside = join(its.scratch.path, 'outside')
    writeFiles(outside, { 'f/g.txt': 'outside\n', 'victim.txt': 'outside\n' })
    rmSync(join(its.root, 'e'), { recursive: true })
    symlinkSync(outside, join(its.root, 'e'))
    rmSync(join(its.root, 'a.txt'))
    symlinkSync(join(outside, 'victim.txt'), join(its.root, 'a.txt'))
    const { refused } = await restore()
    expect(refused).toEqual([])
    expect(lstatSync(join(its.root, 'e')).isDirectory()).toBe(true)
    expect([read('e/f/g.txt'), read('a.txt')]).toEqual(['then\n', 'then\n'])
    expect(readFileSync(join(outside, 'f/g.txt'), 'utf8')).toBe('outside\n')
    expect(readFileSync(join(outside, 'victim.txt'), 'utf8')).toBe('outside\n')
  })

  it('does not remove files through a link that came after the plan was made', async () => {
    const outside = join(its.scratch.path, 'outside')
    writeFiles(outside, { 'new.txt': 'outside\n' })
    writeFiles(its.root, { 'x/new.txt': 'now\n' })
    const from = state()
    rmSync(join(its.root, 'x'), { recursive: true })
    symlinkSync(outside, join(its.root, 'x'))
    const { refused } = await restore([], from)
    expect(refused).toEqual([{ path: 'x/new.txt', reason: 'it is reached through x, which is no folder' }])
    expect(existsSync(join(outside, 'new.txt'))).toBe(true)
  })

  it('leaves a folder that holds ignored files, and says so', async () => {
    rmSync(join(its.root, 'c.txt'))
    writeFiles(its.root, { 'c.txt/now': 'now\n', 'c.txt/deep/keep.log': 'precious\n', 'a.txt': 'now\n' })
    const { restored, refused } = await restore()
    expect(refused.map(({ path, reason }) => `${path}: ${reason}`)).toEqual([
      'c.txt: the folder in its place holds c.txt/deep/keep.log, which is in no snapshot or not to be removed',
    ])
    expect(restored).toEqual(['a.txt', 'c.txt/now'])
    expect(read('c.txt/deep/keep.log')).toBe('precious\n')
  })

  it('writes over no file that is in no snapshot', async () => {
    rmSync(join(its.root, 'c.txt'))
    rmSync(join(its.root, 'e'), { recursive: true })
    writeFiles(its.root, { '.gitignore': '*.log\nc.txt\n/e\n', 'c.txt': 'ignored now\n', e: 'ignored, where a folder was\n' })
    const { refused } = await restore(['c.txt', 'e'])
    expect(refused.map(({ path }) => path).sort()).toEqual(['c.txt', 'e/f/g.txt'])
    expect([read('c.txt'), read('e')]).toEqual(['ignored now\n', 'ignored, where a folder was\n'])
  })

  it('does not take the file away that the person did not name', async () => {
    rmSync(join(its.root, 'e'), { recursive: true })
    writeFiles(its.root, { e: 'a file now\n' })
    const { refused } = await restore(['e/f/g.txt'])
    expect(refused).toEqual([{ path: 'e/f/g.txt', reason: 'e lies where its folder would be' }])
    expect(read('e')).toBe('a file now\n')
    expect((await restore(['e'])).refused).toEqual([])
  })

  it('leaves what the present snapshot could not hold, submodules and special files', async () => {
    writeFiles(its.root, { 'a.txt': 'now, and too large\n' })
    rmSync(join(its.root, 'c.txt'))
    execFileSync('mkfifo', [join(its.root, 'c.txt')])
    const from = { ...state(), notCovered: [{ path: 'a.txt', reason: 'too_large' as const }] }
    const { restored, refused } = await restore([], from)
    expect(restored).toEqual([])
    expect(refused.map(({ path }) => path).sort()).toEqual(['a.txt', 'c.txt'])
    expect(read('a.txt')).toBe('now, and too large\n')
  })

  it('removes empty folders in the way, no other', async () => {
    rmSync(join(its.root, 'c.txt'))
    mkdirSync(join(its.root, 'c.txt/empty/inner'), { recursive: true })
    expect((await restore()).restored).toEqual(['c.txt'])
    expect(read('c.txt')).toBe('then\n')
  })

  it('reports what it may not write, and goes on with the rest', async () => {
    writeFiles(its.root, { 'a.txt': 'now\n', 'e/f/g.txt': 'now\n', 'e/f/new': 'now\n' })
    const from = state()
    const back = actAsNobody(its.root)
    try {
      chmodSync(join(its.root, 'e/f'), 0o555)
      const { restored, refused } = await restore([], from)
      expect(restored).toEqual(['a.txt'])
      expect(refused.map(({ path }) => path).sort()).toEqual(['e/f/g.txt', 'e/f/new'])
      expect(read('e/f/g.txt')).toBe('now\n')
    } finally {
      chmodSync(join(its.root, 'e/f'), 0o755)
      back()
    }
  })

  it('leaves a file whose filter fails as it is: git by itself would remove it first', async () => {
    writeFiles(its.root, { 'a.txt': 'then\n', 'd/b.txt': 'then\n' })
    const before = state()
    writeFiles(its.root, { 'a.txt': 'now\n', 'd/b.txt': 'now\n', '.gitattributes': 'a.txt filter=broken\n' })
    const from = state()
    git(its.root, ['config', 'filter.broken.smudge', 'false'])
    git(its.root, ['config', 'filter.broken.required', 'true'])
    const { restored, refused } = await restore(['a.txt', 'd'], from, before)
    expect(restored).toEqual(['d/b.txt'])
    expect(refused).toEqual([{ path: 'a.txt', reason: 'its filter broken failed' }])
    expect([read('a.txt'), read('d/b.txt')]).toEqual(['now\n', 'then\n'])
  })

  it('brings the very bytes back, and line ends when only they differ', async () => {
    writeFiles(its.root, { '.gitattributes': '*.txt text eol=crlf\n', 'a.txt': '1\n2\r\n' })
    then = state({ raw: { 'a.txt': '1\n2\r\n', 'c.txt': 'then\n' } })
    writeFiles(its.root, { 'a.txt': '1\r\n2\r\n', 'c.txt': 'now\n' })
    const from = state({ raw: { 'c.txt': 'now\n' } })
    expect((await restore([], from)).restored).toEqual(['a.txt', 'c.txt'])
    expect([read('a.txt'), read('c.txt')]).toEqual(['1\n2\r\n', 'then\n'])
    const middle = state({ raw: { 'a.txt': '1\n2\r\n', 'c.txt': 'then\n' } })
    expect((await restoreFiles(testGit(), await workTree(), middle, from)).restored).toEqual(['a.txt', 'c.txt'])
    expect([read('a.txt'), read('c.txt')]).toEqual(['1\r\n2\r\n', 'now\n'])
  })

  it('is not stopped by a lock on the index, and runs no hooks', async () => {
    const log = join(its.scratch.path, 'hooks.txt')
    for (const hook of ['post-checkout', 'post-index-change']) {
      writeFileSync(join(its.root, '.git', 'hooks', hook), `#!/bin/sh\necho ${hook} >>${log}\n`, { mode: 0o755 })
    }
    writeFiles(its.root, { 'a.txt': 'now\n' })
    const from = state()
    rmSync(log, { force: true })
    writeFiles(its.root, { '.git/index.lock': '' })
    expect((await restore([], from)).restored).toEqual(['a.txt'])
    expect(existsSync(log)).toBe(false)
  })
})

/** Root may do everything: the files are given to nobody, and so are we for a while. */
function actAsNobody(owned: string): () => void {
  if (process.getuid?.() !== 0) return () => undefined
  const nobody = 65_534
  execFileSync('chown', ['-R', String(nobody), owned, join(owned, '..')])
  process.seteuid?.(nobody)
  return () => process.seteuid?.(0)
}
