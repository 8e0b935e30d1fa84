import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { listTouched, observe, takeInventory } from '../../test/git/observe.ts'
import { makeRandomState } from '../../test/git/random-state.ts'
import { makeScratch, git as plainGit, testGit } from '../../test/git/scratch.ts'
import { testMeta as meta, openWorkTree } from '../../test/git/snapshots-of.ts'
import { takeSnapshot } from './take-snapshot.ts'
import { createWorkspace } from './workspace.ts'
import { planWorkspace } from './workspace-plan.ts'

// OFFSHOOT_MATRIX=1 for the whole proof; OFFSHOOT_MATRIX_STORED_FROM to look at one seed again.
const count = Number(process.env.OFFSHOOT_MATRIX_STORED ?? (process.env.OFFSHOOT_MATRIX === '1' ? 250 : 12))
const firstSeed = Number(process.env.OFFSHOOT_MATRIX_STORED_FROM ?? 9000)

/** What taking a snapshot may add. */
const ours = /^\.git\/(objects|refs\/offshoot)(\/|$)/

describe('a snapshot of a random work tree', () => {
  const scratch = makeScratch()
  afterEach(() => scratch.remove())

  it.each(Array.from({ length: count }, (_, number) => firstSeed + number))(
    'touches nothing, and brings all of it back after the parent was wrecked, seed %i',
    async (seed) => {
      const root = join(scratch.path, String(seed), 'parent')
      const { tags, random } = makeRandomState(root, seed)
      const told = [...tags].join(', ')
      const wanted = observe(root)
      const before = takeInventory(root)

      const git = testGit()
      const workTree = await openWorkTree(root)
      const index = join(scratch.path, String(seed), 'private', 'index')
      const { snapshot } = await takeSnapshot(git, { workTree, index, meta, maxFileBytes: 0 })
      const touched = listTouched(before, takeInventory(root)).filter((path) => !ours.test(path))
      expect(touched, told).toEqual([])

      wreck(root, { commitsToo: random.chance(0.3), sparsenessToo: random.chance(0.5) })
      const worktreesRoot = join(scratch.path, String(seed), 'worktrees')
      const plan = await planWorkspace(git, workTree, { worktreesRoot, baseCommit: snapshot.meta.head })
      const { report } = await createWorkspace(git, workTree, plan, { snapshot: snapshot.id })
      const uncovered = snapshot.meta.notCovered.map(({ path }) => path)
      expect(report.leftBehind.map(({ path }) => path)).toEqual(uncovered)
      const found = observe(plan.path)
      // Text that cannot be converted is all a random state holds that git refuses to take.
      if (uncovered.length > 0) expect(without(found.files, uncovered), told).toEqual(without(wanted.files, uncovered))
      else {
        expect(found, told).toEqual(wanted)
        expect(report.differences, told).toEqual([])
      }
    },
  )
})

function without(files: ReturnType<typeof observe>[string] | undefined, names: readonly string[]): Record<string, string> {
  if (typeof files !== 'object') throw new Error('no files')
  return Object.fromEntries(Object.entries(files).filter(([name]) => !names.includes(name)))
}

/** Everything a person can do to lose a state, their commits too. */
function wreck(root: string, { commitsToo, sparsenessToo }: { commitsToo: boolean; sparsenessToo: boolean }): void {
  const run = (...args: string[]) => plainGit(root, args, { mayFail: true })
  for (const operation of ['merge', 'cherry-pick', 'rebase']) run(operation, '--abort')
  run('update-index', '--no-split-index')
  if (sparsenessToo) run('sparse-checkout', 'disable')
  run('reset', '-q', '--hard')
  run('clean', '-qffdx')
  if (commitsToo) {
    run('checkout', '-q', '--orphan', 'anew')
    run('rm', '-qrf', '.')
    run('commit', '-q', '--allow-empty', '-m', 'anew')
    for (const branch of ['main', 'other']) run('branch', '-qD', branch)
    for (const name of ['ORIG_HEAD', 'AUTO_MERGE']) rmSync(join(root, '.git', name), { force: true })
  }
  run('reflog', 'expire', '--expire=now', '--expire-unreachable=now', '--all')
  run('gc', '-q', '--prune=now')
}
