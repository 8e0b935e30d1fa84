import { existsSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { observe } from '../../test/git/observe.ts'
import { git, writeFiles } from '../../test/git/scratch.ts'
import { useWorkspaces } from '../../test/git/workspaces.ts'

describe('carrying files that differ from their blobs', () => {
  const its = useWorkspaces()

  const filtered = (log: string) => {
    git(its.root, ['config', 'filter.x.clean', `cat >/dev/null; echo clean >>${log}; echo pointer`])
    git(its.root, ['config', 'filter.x.smudge', `cat; echo smudge >>${log}`])
    git(its.root, ['config', 'filter.x.required', 'true'])
    writeFiles(its.root, { '.gitattributes': '*.big filter=x\n', 'one.big': 'a large file\n' })
    git(its.root, ['add', '-A'])
    git(its.root, ['commit', '-qm', 'big'])
    // Older than the index: git has no reason to look at it again.
    utimesSync(join(its.root, 'one.big'), 1e9, 1e9)
    git(its.root, ['update-index', '--refresh'])
  }

  it('are copied without running a filter (LFS): neither to write nor to compare', async () => {
    const log = join(its.scratch.path, 'filter.txt')
    filtered(log)
    rmSync(log)
    const { path, report } = await its.fork()
    expect(existsSync(log)).toBe(false)
    expect(readFileSync(join(path, 'one.big'), 'utf8')).toBe('a large file\n')
    expect(report.differences).toEqual([])
    expect(git(path, ['status', '--porcelain'])).toBe('')
    expect(existsSync(log)).toBe(false)
  })

  it('are carried even when their filter is broken by now', async () => {
    filtered(join(its.scratch.path, 'filter.txt'))
    git(its.root, ['config', 'filter.x.clean', 'false'])
    git(its.root, ['config', 'filter.x.smudge', 'false'])
    const { path } = await its.fork()
    expect(readFileSync(join(path, 'one.big'), 'utf8')).toBe('a large file\n')
  })

  it('keep mixed line ends, $Id$ and encodings to the byte', async () => {
    writeFiles(its.root, {
      '.gitattributes': '*.crlf text eol=crlf\n*.id ident\n*.u16 working-tree-encoding=UTF-16LE\n',
      'x.crlf': 'one\r\ntwo\nthree\r\n',
      'x.id': '$Id$\n',
    })
    writeFileSync(join(its.root, 'x.u16'), Buffer.from('text\n', 'utf16le'))
    git(its.root, ['add', '-A'])
    git(its.root, ['commit', '-qm', 'converted'])
    const wanted = observe(its.root)
    const { path } = await its.fork()
    expect(observe(path)).toEqual(wanted)
    expect(readFileSync(join(path, 'x.crlf'), 'utf8')).toBe('one\r\ntwo\nthree\r\n')
  })

  it('keep line ends that nothing but autocrlf explains', async () => {
    git(its.root, ['config', 'core.autocrlf', 'input'])
    writeFiles(its.root, { 'a.txt': 'a\r\n' })
    git(its.root, ['add', 'a.txt'])
    expect(git(its.root, ['--no-optional-locks', 'status', '--porcelain'])).toBe('')
    const { path } = await its.fork()
    expect(readFileSync(join(path, 'a.txt'), 'utf8')).toBe('a\r\n')
  })
})
