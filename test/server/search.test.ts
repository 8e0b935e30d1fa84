import { afterAll, beforeAll, expect, test } from 'vitest'
import { createServerSandbox, type Sandbox, type Served } from './sandbox.ts'

let sandbox: Sandbox
let server: Served

beforeAll(() => {
  sandbox = createServerSandbox()
  server = sandbox.serve()
})
afterAll(() => sandbox.close())

interface Found {
  readonly query: string
  readonly engine: string
  readonly results: { readonly session_id: string; readonly turn: string; readonly snippet: string; readonly can_fork: boolean }[]
}

test('finds the session and the turn, in the project only', async () => {
  const wanted = sandbox.session({ cwd: sandbox.repo })
  wanted.addTurn('say hello')
  wanted.addTurn('retry the payment gateway with exponential backoff')
  const outside = sandbox.session({ cwd: sandbox.repository('shut') })
  outside.addTurn('retry the payment gateway with exponential backoff')
  const found = await server.json<Found>('/search?q=payment%20gateway%20backoff')
  expect(found).toMatchObject({ query: 'payment gateway backoff', engine: 'builtin' })
  expect(found.results.map(({ session_id }) => session_id)).toEqual([wanted.id])
  expect(found.results[0]).toMatchObject({ turn: `claude:${wanted.id}@2`, can_fork: true })
  expect((await server.ask(`/search?q=x&project_path=${encodeURIComponent(sandbox.home)}`)).status).toBe(403)
})

test('qmd that is not there is a 503 with what to do and the latest sessions instead', async () => {
  const answer = await server.ask('/search?q=payment&engine=qmd')
  expect(answer.status).toBe(503)
  const problem = (await answer.json()) as {
    code: string
    details: { next_steps: string[]; fallback_sessions: Record<string, unknown>[] }
  }
  expect(problem.code).toBe('qmd_not_available')
  expect(problem.details.next_steps.length).toBeGreaterThan(0)
  const [latest] = problem.details.fallback_sessions
  expect(Object.keys(latest ?? {}).sort()).toEqual(['agent_type', 'last_modified', 'project_path', 'session_id'])
  expect((await server.ask('/health')).status).toBe(200)
})
