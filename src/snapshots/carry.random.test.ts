import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { listTouched, observe, takeInventory } from '../../test/git/observe.ts'
import { makeRandomState } from '../../test/git/random-state.ts'
import { makeScratch, testGit } from '../../test/git/scratch.ts'
import { readCodeState } from './code-state.ts'
import { createWorkspace } from './workspace.ts'
import { planWorkspace } from './workspace-plan.ts'

// OFFSHOOT_MATRIX=1 for more, OFFSHOOT_MATRIX_CARRY=1000 for the whole proof; OFFSHOOT_MATRIX_CARRY_FROM to look at one seed again.
const count = Number(process.env.OFFSHOOT_MATRIX_CARRY ?? (process.env.OFFSHOOT_MATRIX === '1' ? 100 : 12))
const firstSeed = Number(process.env.OFFSHOOT_MATRIX_CARRY_FROM ?? 5000)

describe('carrying the present state of a random work tree', () => {
  const scratch = makeScratch()
  afterEach(() => scratch.remove())

  it.each(Array.from({ length: count }, (_, number) => firstSeed + number))(
    'is exact and touches nothing, seed %i',
    async (seed) => {
      const root = join(scratch.path, String(seed), 'parent')
      const { tags } = makeRandomState(root, seed)
      const told = [...tags].join(', ')
      const wanted = observe(root)
      const before = takeInventory(root)

      const git = testGit()
      const { repository, commit } = await readCodeState(git, root)
      const worktreesRoot = join(scratch.path, String(seed), 'worktrees')
      const plan = await planWorkspace(git, repository, { worktreesRoot, baseCommit: commit })
      const { report } = await createWorkspace(git, repository, plan, 'now')

      const touched = listTouched(before, takeInventory(root))
      // A source without a commit gets one loose commit and its empty tree, which no ref names.
      expect(
        touched.filter((path) => commit !== null || !path.startsWith('.git/objects/')),
        told,
      ).toEqual([])
      expect(observe(plan.path), told).toEqual(wanted)
      expect(report.differences).toEqual([])
      expect(report.leftBehind).toEqual([])
    },
  )
})
