// "Fork me here" from the real agents, over stdio and over HTTP, where nothing but the call itself says who is calling.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { blocksOf } from '../claude/messages-api.ts'
import { apiKeyName } from '../codex/config.ts'
import { execNew, execResume } from '../codex/exec.ts'
import { claudeCommand, claudeVersions, codexVersions } from '../lib/agents.ts'
import { selectCells } from '../lib/matrix.ts'
import { createMcpBench, type ForkedSession, forkedIn } from './mcp-bench.ts'

const ways = ['stdio', 'http'] as const
const claudeCells = selectCells([{ name: 'fork me here', always: ['2.1.325'] as const }], claudeVersions).run
const codexCells = selectCells([{ name: 'fork me here', always: ['0.166.0'] as const }], codexVersions).run

describe.each(claudeCells)('Claude Code $version', ({ version }) => {
  it.each(ways)('over %s', { timeout: 240_000 }, async (way) => {
    const bench = await createMcpBench(version, '0.166.0')
    try {
      const { claude, vars } = bench
      const session = await claude.talk(['Look at the heron', 'Paint the heron grey'])
      await claude.talk(['Something newer elsewhere'])
      const servers = { offshoot: way === 'stdio' ? { command: 'offshoot', args: ['mcp'] } : await httpServer(bench) }
      const config = join(claude.sandbox.root, 'mcp.json')
      writeFileSync(config, JSON.stringify({ mcpServers: servers }))
      const prompt = 'Fork me here [[mcp:mcp__offshoot__fork_session:{"code":"head"}]]'
      const flags = ['--dangerously-skip-permissions', '--mcp-config', config, '--resume', session, '-p', '--', prompt]
      await bench.run([...claudeCommand(version), ...flags], { ...vars, IS_SANDBOX: '1' })
      const answered = claude.api.requests.findLast((request) => request.prompt.includes('Fork me here'))
      const results = (answered?.messages ?? []).flatMap(blocksOf).filter((block) => block.type === 'tool_result')
      const forked = forkedIn(JSON.stringify(results.at(-1)))
      expectHere(forked, session)
      await claude.claude.print('In the fork', { flags: ['--resume', forked.session_id], cwd: forked.workspace })
      const request = await claude.api.waitForPrompt('In the fork')
      expect(JSON.stringify(request.messages)).toContain('Paint the heron grey')
      expect(JSON.stringify(request.messages)).not.toContain('Fork me here')
    } finally {
      await bench.dispose()
    }
  })
})

describe.each(codexCells)('Codex $version', ({ version }) => {
  it.each(ways)('over %s', { timeout: 240_000 }, async (way) => {
    const bench = await createMcpBench('2.1.325', version)
    try {
      const { codex, vars } = bench
      const session = await execNew(codex, 'Look at the heron')
      await execResume(codex, session, 'Paint the heron grey')
      await execNew(codex, 'Something newer elsewhere')
      const { url, token } = await bench.serve()
      const settings =
        way === 'stdio'
          ? ['command="offshoot"', 'args=["mcp"]', `env_vars=${JSON.stringify(['OFFSHOOT_HOME', apiKeyName])}`]
          : [`url="${url}"`, 'bearer_token_env_var="OFFSHOOT_TOKEN"']
      // For this run alone: a required server is waited for, and missed by every other run that cannot reach it.
      const flags = ['required=true', ...settings].flatMap((setting) => ['-c', `mcp_servers.offshoot.${setting}`])
      const prompt = 'Fork me here [[mcp: offshoot/fork_session|{"code":"head"}]]'
      const argv = ['codex', 'exec', '--skip-git-repo-check', ...flags, 'resume', session, prompt]
      await bench.run(argv, { ...vars, OFFSHOOT_TOKEN: token })
      const answered = codex.api.requestsOf(session).at(-1)
      const forked = forkedIn(JSON.stringify(answered?.input.findLast((item) => item.type === 'function_call_output')))
      expectHere(forked, session)
      await execResume(codex, forked.session_id, 'In the fork', { cwd: forked.workspace })
      const request = JSON.stringify(codex.api.requestsOf(forked.session_id).at(-1)?.input)
      expect(request).toContain('Paint the heron grey')
      expect(request).not.toContain('Fork me here')
    } finally {
      await bench.dispose()
    }
  })
})

async function httpServer(bench: Awaited<ReturnType<typeof createMcpBench>>) {
  const { url, token } = await bench.serve()
  return { type: 'http', url, headers: { Authorization: `Bearer ${token}` } }
}

function expectHere(forked: ForkedSession, session: string): void {
  expect(forked).toMatchObject({
    resume_session_id: session,
    terminal_id: null,
    plan: { parent: { session_id: session, turn_number: 2 }, kept_turns: 2 },
    proof: { source_unchanged: true, prefix_verified: true },
  })
  expect(forked.session_id).not.toBe(session)
}
