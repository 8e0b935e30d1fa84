// Tokens beside the owner's: what each scope lets through, over HTTP.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Scope } from '../../src/model/scope.ts'
import { createToken, revokeToken } from '../../src/server/tokens/token-file.ts'
import { createServerSandbox, type Sandbox, type Served } from './sandbox.ts'

let sandbox: Sandbox
let server: Served
let sessionId: string

beforeAll(() => {
  sandbox = createServerSandbox()
  server = sandbox.serve()
  sessionId = sandbox.session({ cwd: sandbox.repo, turns: 2 }).id
})
afterAll(() => sandbox.close())

async function create(scope: Scope, { projects = [] as readonly string[], expiresAt = null as number | null } = {}) {
  const { token, secret } = await createToken(sandbox.offshootHome, { scope, projects, expiresAt }, Date.now())
  const as = (init: Parameters<Served['ask']>[1] = {}) => ({
    ...init,
    headers: { ...init.headers, authorization: `Bearer ${secret}` },
  })
  return {
    ...token,
    secret,
    ask: (path: string, init?: Parameters<Served['ask']>[1]) => server.ask(path, as(init)),
    json: <T>(path: string, init?: Parameters<Served['ask']>[1]) => server.json<T>(path, as(init)),
  }
}

test('a read token reads, and is refused what makes or starts something, by the name of the missing scope', async () => {
  const token = await create('read')
  const { sessions } = await token.json<{ sessions: { id: string }[] }>('/session')
  expect(sessions.map(({ id }) => id)).toEqual([sessionId])
  expect((await token.ask(`/session/${sessionId}/message`)).status).toBe(200)
  const refused = await token.ask(`/session/${sessionId}/fork`, { json: { at_turn: '1' } })
  expect(refused.status).toBe(403)
  expect(await refused.json()).toMatchObject({
    code: 'scope_needed',
    detail: 'This needs a token with the scope "fork"; this one has "read".',
    details: { scope: 'read', needed: 'fork' },
  })
  expect(await token.json('/workers', { json: { agent: 'claude', project_path: sandbox.repo } })).toMatchObject({
    code: 'scope_needed',
    details: { needed: 'run' },
  })
  expect(sandbox.refusals.at(-1)).toMatchObject({ verb: 'POST /workers http', subject: `token ${token.name}` })
  expect(JSON.stringify(sandbox.refusals)).not.toContain(token.secret)
})

test('unknown, expired and revoked tokens get the same answer', async () => {
  const expired = await create('run', { expiresAt: Date.now() - 1 })
  const revoked = await create('run')
  expect((await revoked.ask('/session')).status).toBe(200)
  await revokeToken(sandbox.offshootHome, revoked.name)
  const answers = await Promise.all([
    server.ask('/session', { headers: { authorization: `Bearer offshoot_${'x'.repeat(43)}` } }),
    expired.ask('/session'),
    revoked.ask('/session'),
  ])
  expect(answers.map(({ status }) => status)).toEqual([401, 401, 401])
  const bodies = await Promise.all(answers.map((answer) => answer.text()))
  expect(new Set(bodies).size).toBe(1)
})
