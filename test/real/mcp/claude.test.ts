// The real Claude Code calls smart_fork of the real `offshoot mcp`: the fork opens in a tmux pane as a real agent, and what its
// model is sent with the next prompt is exactly the chosen prefix.
import { describe, expect, it } from 'vitest'
import { claude as reader } from '../../../src/agents/claude/index.ts'
import { blocksOf } from '../claude/messages-api.ts'
import { discover, historyDiff, seen } from '../fork/claude-forks.ts'
import { claudeCommand, claudeVersions } from '../lib/agents.ts'
import { describeSelection, selectCells } from '../lib/matrix.ts'
import { createMcpBench, forkedIn, hash } from './mcp-bench.ts'

const selection = selectCells([{ name: 'smart_fork', always: ['2.1.325'] as const }], claudeVersions)
console.log(describeSelection('Claude Code as an MCP client', selection))

describe.each(selection.run)('Claude Code $version', ({ version }) => {
  it('forks the session that fits, at the turn that fits', { timeout: 240_000 }, async () => {
    const bench = await createMcpBench(version, '0.166.0')
    try {
      const { claude, vars } = bench
      const { sandbox, api } = claude
      await claude.talk(['Sort the invoices by date', 'And by customer'])
      const parent = await claude.talk([
        'Look at the kingfisher [[bash:echo fish]]',
        'Paint the kingfisher blue',
        'Now the taxes',
      ])
      const file = discover(claude, parent)
      const { turns } = await reader.summarise(file, sandbox.agentEnv)
      const expected = await seen(claude, file, { upTo: { turnId: turns[1]?.id ?? '' } })
      const before = hash(file.path)
      await bench.run(['claude', 'mcp', 'add', '--scope', 'user', 'offshoot', '--', 'offshoot', 'mcp'])

      const wanted = { intent: 'paint the kingfisher blue', auto_fork: true, code: 'head', terminal: 'tmux' }
      const prompt = `Go on from there [[mcp:mcp__offshoot__smart_fork:${JSON.stringify(wanted)}]]`
      await bench.run([...claudeCommand(version), '--dangerously-skip-permissions', '-p', '--', prompt], {
        ...vars,
        IS_SANDBOX: '1',
      })

      const answered = api.requests.findLast((request) => request.prompt.includes('Go on from there'))
      const results = (answered?.messages ?? []).flatMap(blocksOf).filter((block) => block.type === 'tool_result')
      const forked = forkedIn(JSON.stringify(results.at(-1)))
      expect(forked).toMatchObject({
        resume_session_id: parent,
        plan: { parent: { turn_number: 2 } },
        proof: { source_unchanged: true },
      })
      expect(bench.panes()).toContainEqual([forked.terminal_id, forked.workspace])
      expect(hash(file.path)).toBe(before)

      // The caller has gone; its fork has not.
      await bench.tell(forked.session_name, 'And the heron?')
      const request = await api.waitForPrompt('And the heron?')
      expect(request.sessionId).toBe(forked.session_id)
      expect(historyDiff(expected, request, 'And the heron?')).toBe('')
      expect(hash(file.path)).toBe(before)
    } finally {
      await bench.dispose()
    }
  })
})
