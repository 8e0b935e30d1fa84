import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { git, testGit } from '../../test/git/scratch.ts'
import { useWorkspaces } from '../../test/git/workspaces.ts'
import { findRepository } from './repository.ts'
import { createWorkspace } from './workspace.ts'
import { amendMarker, readMarker, type WorkspaceUse } from './workspace-marker.ts'

describe('the marker of a workspace', () => {
  const its = useWorkspaces()
  const use: WorkspaceUse = { agent: 'codex', sessionId: null, keptTurns: 3, push: 'origin' }

  it('is written when the workspace is made, and does not show in it', async () => {
    const plan = await its.plan()
    await createWorkspace(testGit(), await findRepository(testGit(), its.root), plan, 'head', { use })
    const { gitDir } = await findRepository(testGit(), plan.path)
    expect(await readMarker(gitDir)).toEqual({ version: 1, id: plan.id, branch: plan.branch, ...use })
    expect(git(plan.path, ['status', '--porcelain', '--ignored'])).toBe('')
    expect(await amendMarker(gitDir, { sessionId: 'abc' })).toMatchObject({ sessionId: 'abc', keptTurns: 3 })
    expect(await readMarker(gitDir)).toMatchObject({ sessionId: 'abc', push: 'origin' })
  })

  it('is absent in work trees offshoot did not make', async () => {
    const { gitDir } = await findRepository(testGit(), its.root)
    expect(await readMarker(gitDir)).toBeNull()
    expect(await amendMarker(gitDir, { sessionId: 'abc' })).toBeNull()
    expect(existsSync(join(gitDir, 'offshoot-workspace.json'))).toBe(false)
  })

  it.each(['', '{', '[]', '{"version":2}', '{"version":1,"id":"a","branch":"b","agent":"nobody"}'])(
    'is not believed when it says %j',
    async (text) => {
      const { gitDir } = await findRepository(testGit(), its.root)
      writeFileSync(join(gitDir, 'offshoot-workspace.json'), text)
      expect(await readMarker(gitDir)).toBeNull()
    },
  )
})
