import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { at, git, writeFiles } from '../../test/git/scratch.ts'
import { readTreeFiles, useSnapshots } from '../../test/git/snapshots.ts'
import { readSnapshot } from './read-snapshot.ts'
import { readTree } from './take-snapshot.ts'

describe('a snapshot', () => {
  const its = useSnapshots()

  it('holds tracked and untracked files as they lie there, not ignored ones', async () => {
    writeFiles(its.root, { '.gitignore': 'ignored\n', 'a.txt': 'changed\n', 'new/x': 'new', ignored: 'no', run: '#!' })
    rmSync(join(its.root, 'd/b.txt'))
    chmodSync(join(its.root, 'run'), 0o755)
    symlinkSync('/nowhere', join(its.root, 'link'))
    writeFileSync(at(its.root, 'odd\xff\n*'), 'odd')
    const { snapshot, previous, commit, problem } = await its.take()
    expect(readTreeFiles(its.root, snapshot.tree)).toEqual({
      '.gitignore': 'file ignored\n',
      'a.txt': 'file changed\n',
      'new/x': 'file new',
      run: 'executable #!',
      link: 'link /nowhere',
      'odd\xff\n*': 'file odd',
    })
    expect({ previous, commit, problem }).toEqual({ previous: null, commit: null, problem: null })
    expect(snapshot.meta).toMatchObject({ branch: 'main', root: its.root, notCovered: [], commit: null, version: 1 })
    expect(
      await readSnapshot((await import('../../test/git/scratch.ts')).testGit(), join(its.root, '.git'), snapshot.ref),
    ).toEqual(snapshot)
  })
  void mkdirSync
  void readTree
})
