import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createSandbox, type Sandbox } from './sandbox.testkit.ts'

let sandbox: Sandbox
beforeEach(() => {
  sandbox = createSandbox()
})
afterEach(() => sandbox.close())

it('a label is kept beside the title, for every later look, and the session is not touched', async () => {
  const { path } = sandbox.session({ turns: 1 })
  const before = readFileSync(path)
  const catalog = sandbox.catalog()
  const [session] = await catalog.listSessions()
  if (session === undefined) throw new Error('not listed')
  expect(session.label).toBeNull()
  expect(await catalog.labelSession(session, '  the\nfast \u001b[31mone\u0000 ')).toBe('the fast one␀')
  expect((await sandbox.catalog().listSessions())[0]).toMatchObject({ label: 'the fast one␀', title: session.title })
  expect((await catalog.tree())[0]?.session.label).toBe('the fast one␀')
  expect(readFileSync(path)).toEqual(before)
  expect(await catalog.labelSession(session, ' \n ')).toBeNull()
  expect((await catalog.listSessions())[0]?.label).toBeNull()
})

it('a label is cut to what fits a list, never within a character', async () => {
  sandbox.session({ turns: 1 })
  const catalog = sandbox.catalog()
  const [session] = await catalog.listSessions()
  if (session === undefined) throw new Error('not listed')
  const flags = '🇩🇪'.repeat(80)
  expect(await catalog.labelSession(session, flags)).toBe('🇩🇪'.repeat(60))
  expect(await catalog.labelSession(session, 'x'.repeat(1_000_000))).toBe('x'.repeat(60))
})
