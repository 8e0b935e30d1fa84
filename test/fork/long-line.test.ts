// A line over the limit: reading and counting pass over it, and a copy that would lack it is not made.
import { appendFileSync, statSync, truncateSync } from 'node:fs'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { longestLine } from '../../src/lib/jsonl.ts'
import { createSandbox, type Sandbox } from './sandbox.ts'

let sandbox: Sandbox
beforeEach(() => {
  sandbox = createSandbox()
})
afterEach(() => sandbox.close())

test('the session is listed and read, the doctor counts the line, a fork is blocked', async () => {
  const repo = sandbox.repository('repo')
  const { id, path } = sandbox.session({ cwd: repo, turns: 2 })
  const app = sandbox.app({ cwd: repo })
  expect((await app.planFork({ address: id, code: 'none' })).blockers).toEqual([])

  truncateSync(path, statSync(path).size + longestLine + 10)
  appendFileSync(path, '\n')
  const { session } = await app.resolve(id)
  expect(await app.listTurns(session)).toHaveLength(2)
  expect((await app.doctor()).find(({ message }) => message.includes('64 MB'))?.message).toContain('passed over')
  const plan = await app.planFork({ address: id, code: 'none' })
  expect(plan.blockers).toMatchObject([{ code: 'line_too_long' }])
  await expect(app.executeFork(plan)).rejects.toMatchObject({ code: 'fork_blocked' })
})
