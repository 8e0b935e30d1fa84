// A headless worker of a stdio server: it works, its end is announced, and nothing is left running when the server has gone.
import { expect, it } from 'vitest'
import { connect, structured } from '../../mcp/clients.ts'
import { waitUntil } from '../lib/wait.ts'
import { createMcpBench } from './mcp-bench.ts'

interface Spawned {
  readonly workers: readonly { readonly worker: { readonly name: string; readonly session_id: string }; readonly note: string }[]
}

it.each(['claude', 'codex'] as const)('%s', { timeout: 240_000 }, async (agent) => {
  const bench = await createMcpBench('2.1.325', '0.166.0')
  try {
    const place = { cwd: bench.claude.sandbox.work, env: { ...bench.vars, IS_SANDBOX: '1' } }
    const client = await connect('sdk 2 of 2026', place)
    const config = { agent_type: agent, name: 'owl', terminal: 'headless' }
    const { workers } = structured<Spawned>(await client.call('spawn_workers', { workers: [config] }))
    expect(workers[0]?.note).toContain('ends together with this MCP server')
    const said = structured(await client.call('send_to_worker', { worker: 'owl', prompt: '--version of the heron?' }))
    expect(said).toMatchObject({
      outcome: 'complete',
      delivery: 'confirmed',
      answer: expect.stringContaining('--version of the heron?'),
    })
    const { workers: listed } = structured<{ workers: { pid: number | null }[] }>(await client.call('list_workers'))
    const pid = listed[0]?.pid ?? 0
    expect(pid).toBeGreaterThan(0)
    await client.close()
    await waitUntil('the agent to end with its server', () => !isAlive(pid))

    // Its session stays, and the next server resumes it.
    const next = await connect('sdk 1', place)
    expect(structured(await next.call('list_workers'))).toMatchObject({ workers: [{ name: 'owl', state: 'resumable' }] })
    const again = structured(await next.call('send_to_worker', { worker: 'owl', prompt: 'And now?' }))
    expect(again).toMatchObject({ outcome: 'complete', worker: { session_id: workers[0]?.worker.session_id } })
    const read = await next.call('read_session', { session: 'worker:owl@1' })
    expect(JSON.stringify(structured(read))).toContain('--version of the heron?')
    await next.close()
  } finally {
    await bench.dispose()
  }
})

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
