// What a session without any capture is told: to install hooks only where there are none.
import { afterEach, beforeEach, expect, test } from 'vitest'
import { AppError } from '../../src/model/error.ts'
import { createSandbox, type Sandbox } from '../fork/sandbox.ts'

let sandbox: Sandbox
beforeEach(() => {
  sandbox = createSandbox()
})
afterEach(() => sandbox.close())

test('installing hooks is advised only where they are not installed', async () => {
  const repo = sandbox.repository('repo')
  const session = sandbox.session({ cwd: repo })
  session.addTurn('one')
  const app = sandbox.app({ cwd: repo })
  const refused = async (request: Promise<unknown>) => {
    const error = await request.catch((caught: unknown) => caught)
    if (!(error instanceof AppError)) throw new Error('it was not refused')
    return `${error.message} ${error.hint}`
  }
  const said = async () => [
    await refused(app.planRestore({ address: `${session.id}@1` })),
    await refused(app.diff({ from: session.id })),
  ]
  for (const text of await said()) expect(text).toContain('offshoot hooks install')
  await app.installHooks({ agents: ['claude'] })
  for (const after of await said()) {
    expect(after).not.toContain('offshoot hooks install')
    expect(after).toContain('Hooks are installed')
  }
})
