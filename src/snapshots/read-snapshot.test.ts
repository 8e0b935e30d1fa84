import { describe, expect, it } from 'vitest'
import { handSnapshot } from '../../test/git/hand-snapshot.ts'
import { git, testGit, writeFiles } from '../../test/git/scratch.ts'
import { useWorkspaces } from '../../test/git/workspaces.ts'
import { listSnapshots, readSnapshot } from './read-snapshot.ts'
import { safetyRefs } from './snapshot.ts'

describe('reading snapshots', () => {
  const its = useWorkspaces()
  const list = (prefix?: string) => listSnapshots(testGit(), `${its.root}/.git`, prefix)
  const read = (idOrRef: string) => readSnapshot(testGit(), `${its.root}/.git`, idOrRef)

  it('finds none where there are none', async () => {
    expect(await list()).toEqual([])
    expect(await read('refs/offshoot/claude/a/b/end')).toBeNull()
  })

  it('lists all of them, or those of one session, with what they say of themselves', async () => {
    const first = handSnapshot(its.root, { meta: { turnKey: 'one', prompt: 'größer\n"quoted"' } })
    writeFiles(its.root, { 'new.txt': 'new\n' })
    const second = handSnapshot(its.root, { meta: { turnKey: 'two', notCovered: [{ path: 'big', reason: 'too_large' }] } })
    const other = handSnapshot(its.root, { meta: { agent: 'codex', sessionId: 'other', moment: 'start' } })
    expect(await list()).toEqual([first, second, other])
    expect(await list('refs/offshoot/claude/a-session/')).toEqual([first, second])
    expect(first.tree).not.toBe(second.tree)
  })

  it('reads one by its ref or by its object', async () => {
    const made = handSnapshot(its.root)
    expect(await read(made.ref)).toEqual(made)
    expect(await read(made.id)).toEqual(made)
    expect(await read('HEAD')).toBeNull()
    expect(await read(made.tree)).toBeNull()
    expect(await read('0'.repeat(40))).toBeNull()
  })

  it('finds the states kept before a restore under their own refs', async () => {
    const made = handSnapshot(its.root, { ref: `${safetyRefs}abc` })
    expect(await list(safetyRefs)).toEqual([made])
  })

  it('passes over what is not ours, or broken', async () => {
    const good = handSnapshot(its.root)
    const head = git(its.root, ['rev-parse', 'HEAD']).trim()
    git(its.root, ['update-ref', 'refs/offshoot/claude/commit', head])
    git(its.root, ['update-ref', 'refs/offshoot/claude/plain-tree', `${head}^{tree}`])
    git(its.root, ['update-ref', 'refs/offshoot/claude/blob', `${head}:a.txt`])
    handSnapshot(its.root, { ref: 'refs/offshoot/claude/elsewhere/x/end' })
    const broken: Record<string, unknown>[] = [
      { version: 2 },
      { agent: 'nobody' },
      { sessionId: '../../x' },
      { turnKey: 'a/b' },
      { head: 'HEAD' },
      { notCovered: [{ path: 'x', reason: 'magic' }] },
      { notCovered: null },
      { root: 'relative' },
    ]
    broken.forEach((meta, number) => {
      handSnapshot(its.root, { meta, ref: `${safetyRefs}broken-${number}` })
    })
    expect((await list()).map(({ ref }) => ref)).toEqual([good.ref])
    expect(await read('refs/offshoot/claude/elsewhere/x/end')).toBeNull()
    expect(await read('refs/offshoot/claude/commit')).toBeNull()
  })

  it('reads many with three processes', async () => {
    const made = handSnapshot(its.root)
    const creates = Array.from({ length: 300 }, (_, number) => `create refs/offshoot/safety/${number} ${made.id}\n`)
    git(its.root, ['update-ref', '--stdin'], { input: creates.join('') })
    let calls = 0
    const counting: typeof run = (args, call) => {
      calls++
      return run(args, call)
    }
    const run = testGit()
    expect(await listSnapshots(counting, `${its.root}/.git`)).toHaveLength(301)
    expect(calls).toBe(3)
  })
})
