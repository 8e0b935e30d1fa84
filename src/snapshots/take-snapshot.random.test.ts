import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { listTouched, observe, takeInventory } from '../../test/git/observe.ts'
import { names, tolerate } from '../../test/git/random-files.ts'
import { makeRandomState } from '../../test/git/random-state.ts'
import { randomSteps } from '../../test/git/random-steps.ts'
import { git, makeScratch, testGit } from '../../test/git/scratch.ts'
import { readDiskFiles, readTreeFiles } from '../../test/git/snapshots.ts'
import { openWorkTree, testMeta } from '../../test/git/snapshots-of.ts'
import { openSnapshot } from './open-snapshot.ts'
import { takeSnapshot } from './take-snapshot.ts'

// OFFSHOOT_MATRIX=1 for the whole proof; OFFSHOOT_MATRIX_SNAPSHOT_FROM to look at one seed again.
const count = Number(process.env.OFFSHOOT_MATRIX_SNAPSHOT ?? (process.env.OFFSHOOT_MATRIX === '1' ? 250 : 12))
const firstSeed = Number(process.env.OFFSHOOT_MATRIX_SNAPSHOT_FROM ?? 8000)
const turns = 4

/** What a person or their agent runs between two turns. */
const commands = [
  ['status'],
  ['status'],
  ['add', '-A'],
  ['commit', '-qam', 'in between'],
  ['reset', '-q'],
  ['reset', '-q', '--soft', 'HEAD~1'],
  ['reset', '-q', '--hard'],
  ['stash', '-q', '--include-untracked'],
  ['checkout', '-q', '-B', 'side'],
  ['gc', '-q', '--prune=now'],
]

describe('snapshots of a random work tree, turn after turn', () => {
  const scratch = makeScratch()
  afterEach(() => scratch.remove())

  it.each(Array.from({ length: count }, (_, number) => firstSeed + number))(
    'are exact and touch nothing, seed %i',
    async (seed) => {
      const root = join(scratch.path, String(seed), 'repo')
      const state = makeRandomState(root, seed)
      const workTree = await openWorkTree(root)
      const index = join(scratch.path, String(seed), 'index')
      for (let turn = 0; turn < turns; turn++) {
        const told = `turn ${turn}: ${[...state.tags].join(', ')}`
        const wanted = observe(root)
        const before = takeInventory(root)
        const meta = { ...testMeta, turnKey: `turn-${turn}` }
        const { snapshot } = await takeSnapshot(testGit(), { workTree, index, meta, maxFileBytes: 0 })

        const touched = listTouched(before, takeInventory(root))
        expect(
          touched.filter((path) => !/^\.git\/(objects|refs\/offshoot)(\/|$)/.test(path)),
          told,
        ).toEqual([])
        const found = await readFiles(root, snapshot.id, join(scratch.path, String(seed), 'checkout'))
        // Text that is not in the encoding the attributes claim cannot be added by anybody: told, and the rest is exact.
        const files = { ...(wanted.files as Record<string, string>) }
        for (const { path, reason } of snapshot.meta.notCovered) {
          expect([reason, path.endsWith('.txt')], told).toEqual(['filter_failed', true])
          delete files[path]
          delete found[path]
        }
        expect(found, told).toEqual(files)
        for (let steps = state.random.below(5); steps > 0; steps--) {
          const [tag, step] = state.random.pick(randomSteps)
          state.tags.add(tag)
          tolerate(() => step(state, state.random.pick(names)))
        }
        if (state.random.chance(0.6)) git(root, state.random.pick(commands), { mayFail: true })
      }
      // Everything is there; not by fsck, which also minds what the person's own index claims.
      git(root, ['rev-list', '--objects', '--glob=refs/offshoot/*'])
    },
  )
})

/** What the snapshot puts on disk: checked out by git, then the raw files. */
async function readFiles(root: string, id: string, folder: string): Promise<Record<string, string>> {
  const { onDisk, raw } = await openSnapshot(testGit(), join(root, '.git'), id)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder)
  const env = { GIT_DIR: join(root, '.git'), GIT_WORK_TREE: folder, GIT_INDEX_FILE: `${folder}.index` }
  // By the repository's own rules, as a fork is filled.
  const settings = ['sparseCheckout=false', 'splitIndex=false', 'autocrlf=false', 'eol=lf', 'attributesFile=/dev/null']
  const config = settings.flatMap((setting) => ['-c', `core.${setting}`])
  git(folder, [...config, 'read-tree', '--reset', '-u', onDisk], { env })
  const files = readDiskFiles(folder, Object.keys(readTreeFiles(root, onDisk)))
  for (const [path, { mode, id: blob }] of raw) {
    files[path] = `${mode & 0o100 ? 'executable' : 'file'} ${git(root, ['cat-file', 'blob', blob])}`
  }
  return files
}
