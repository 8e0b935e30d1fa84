import { existsSync, readFileSync } from 'node:fs'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createSandbox, type Sandbox } from './sandbox.ts'

let sandbox: Sandbox
beforeEach(() => {
  sandbox = createSandbox()
})
afterEach(() => sandbox.close())

test('a Claude session forked at a turn, in place: the child holds the prefix and the source its bytes', async () => {
  const source = sandbox.session({ turns: 3 })
  const before = readFileSync(source.path, 'utf8')
  const app = sandbox.app()
  const { fork, plan, proof } = await app.fork({ address: source.id, at: '2', code: 'none' })
  expect(plan).toMatchObject({ strategy: 'prefix', keptTurns: 2, droppedTurns: 1, title: 'Fork of prompt 1' })
  expect(proof).toMatchObject({ sourceUnchanged: true, prefixVerified: true, cwdVerified: true })
  expect(readFileSync(source.path, 'utf8')).toBe(before)
  expect(fork.command.argv).toContain(`--resume=${fork.sessionId}`)
  const { session } = await app.resolve(fork.sessionId)
  expect(session).toMatchObject({
    turns: 2,
    title: 'Fork of prompt 1',
    parent: { sessionId: source.id, turnNumber: 2, kind: 'prefix' },
  })
  const [root] = await app.tree(session)
  expect(root?.children[0]).toMatchObject({ forkKind: 'prefix', atTurn: 2 })
  const undone = await app.undo()
  expect(undone).toMatchObject({ undone: true, fork: { id: fork.id } })
  expect(existsSync(fork.file ?? '')).toBe(false)
  expect(await app.undo(fork.id)).toMatchObject({ undone: false })
})
