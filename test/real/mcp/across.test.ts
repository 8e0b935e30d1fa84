// smart_fork with `to_agent`: the only way to mix agents. The transcript goes to the other real agent as a seed, in a pane.
import { expect, it } from 'vitest'
import { connect, structured } from '../../mcp/clients.ts'
import { waitUntil } from '../lib/wait.ts'
import { createMcpBench, type ForkedSession } from './mcp-bench.ts'

it('a session of Claude Code goes on in Codex', { timeout: 240_000 }, async () => {
  const bench = await createMcpBench('2.1.325', '0.166.0')
  try {
    const { claude, codex, vars } = bench
    const parent = await claude.talk(['Look at the kingfisher', 'Paint the kingfisher blue', 'Now the taxes'])
    const client = await connect('sdk 1', { cwd: claude.sandbox.work, env: vars })
    const wanted = { intent: 'paint the kingfisher blue', auto_fork: true, code: 'head', to_agent: 'codex', terminal: 'tmux' }
    const answer = structured<{ forked_session: ForkedSession & { strategy: string } }>(await client.call('smart_fork', wanted))
    const forked = answer.forked_session
    expect(forked).toMatchObject({ resume_session_id: parent, strategy: 'seed', worker: { kind: 'terminal' } })
    await client.close()
    await bench.tell(forked.session_name, 'And the heron?')
    const request = await waitUntil('the prompt in Codex', () =>
      codex.api.requestsOf(forked.session_id).find(({ input }) => JSON.stringify(input.at(-1)).includes('And the heron?')),
    )
    const history = JSON.stringify(request.input)
    expect(history).toContain('[OFFSHOOT_FORK_SEED ')
    expect(history).toContain('Paint the kingfisher blue')
    expect(history).not.toContain('Now the taxes')
  } finally {
    await bench.dispose()
  }
})
