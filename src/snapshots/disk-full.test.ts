import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { handSnapshot } from '../../test/git/hand-snapshot.ts'
import { git, makeRepository, makeScratch, type Scratch, writeFiles } from '../../test/git/scratch.ts'

const script = fileURLToPath(new URL('../../test/git/fork-to-small-disk.ts', import.meta.url))
// A mount of our own: as root by itself, else as the root of a user namespace.
const flags = ['-m', '-rm'].find((each) => spawnSync('unshare', [each, 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0)

describe.runIf(flags !== undefined)('on a disk that is too small', () => {
  let scratch: Scratch
  let root: string
  beforeEach(() => {
    scratch = makeScratch()
    root = makeRepository(join(scratch.path, 'repo'))
    mkdirSync(join(scratch.path, 'disk'))
  })
  afterEach(() => scratch.remove())

  it.each([
    ['git checks out', ['commit', '-qm', 'big']],
    ['we copy', ['reset', '-q']],
  ])('a workspace fails while %s, says why, and leaves nothing', (_, command) => {
    writeFiles(root, { big: 'x'.repeat(3_000_000) })
    git(root, ['add', '-A'])
    git(root, command)
    expect(forkToSmallDisk()).toEqual(nothingLeft)
  })

  it.each([
    ['git writes what is untracked', {}],
    ['we write raw bytes', { raw: { big: 'y'.repeat(3_000_000) } }],
  ])('a workspace of a snapshot fails while %s, says why, and leaves nothing', (_, options) => {
    writeFiles(root, { big: 'x'.repeat(3_000_000) })
    expect(forkToSmallDisk(handSnapshot(root, options).id)).toEqual(nothingLeft)
  })

  const nothingLeft = {
    code: 'disk_full',
    message: expect.stringContaining('disk is full'),
    made: false,
    left: [],
    branches: 'main\n',
    worktrees: 1,
  }

  function forkToSmallDisk(snapshot = ''): unknown {
    const disk = join(scratch.path, 'disk')
    const program = `exec '${process.execPath}' --import tsx '${script}' '${root}' '${disk}' ${snapshot}`
    const run = `mount -t tmpfs -o size=1m none '${disk}' && ${program}`
    return JSON.parse(execFileSync('unshare', [flags ?? '', 'sh', '-c', run], { encoding: 'utf8' }))
  }
})
