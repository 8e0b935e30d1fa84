// The same from the real Codex, which says itself who is calling: the fork opens in a tmux pane as a real Codex whose next request
// carries exactly the chosen prefix.
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { codex as reader } from '../../../src/agents/codex/index.ts'
import { apiKeyName } from '../codex/config.ts'
import { execNew, execResume } from '../codex/exec.ts'
import { codexRules, fromReader, historyBefore } from '../codex/received.ts'
import { fingerprint } from '../codex/rollouts.ts'
import { codexVersions } from '../lib/agents.ts'
import { compareHistory } from '../lib/history.ts'
import { describeSelection, selectCells } from '../lib/matrix.ts'
import { waitUntil } from '../lib/wait.ts'
import { createMcpBench, forkedIn } from './mcp-bench.ts'

const selection = selectCells([{ name: 'smart_fork', always: ['0.166.0'] as const }], codexVersions)
console.log(describeSelection('Codex as an MCP client', selection))

describe.each(selection.run)('Codex $version', ({ version }) => {
  it('forks the session that fits, at the turn that fits', { timeout: 240_000 }, async () => {
    const bench = await createMcpBench('2.1.325', version)
    try {
      const { codex, vars } = bench
      const { sandbox, api } = codex
      await execNew(codex, 'Sort the invoices by date')
      const parent = await execNew(codex, 'Look at the kingfisher [[shell: echo fish]]')
      await execResume(codex, parent, 'Paint the kingfisher blue')
      await execResume(codex, parent, 'Now the taxes')
      const file = [...reader.discover(sandbox.agentEnv)].find(({ id }) => id === parent)
      if (file === undefined) throw new Error('the parent is not found')
      const { turns } = await reader.summarise(file, sandbox.agentEnv)
      const expected = await fromReader(
        reader.read(file, sandbox.agentEnv, { view: 'context', upTo: { turnId: turns[1]?.id ?? '' } }),
      )
      const before = fingerprint(codex).get(file.path)
      expect(before).toBeDefined()

      await bench.run(['codex', 'mcp', 'add', 'offshoot', '--', 'offshoot', 'mcp'])
      // Codex hands its servers next to nothing of its environment: what the terminal and the fork need is named (docs/mcp.md).
      // And it waits for a server only where it is told to: on a busy machine the tool would be missing.
      const names = JSON.stringify(['TMUX', 'OFFSHOOT_HOME', apiKeyName])
      appendFileSync(join(codex.folder, 'config.toml'), `required = true\nenv_vars = ${names}\n`)
      const wanted = { intent: 'paint the kingfisher blue', agent_type: 'codex', auto_fork: true, code: 'head', terminal: 'tmux' }
      const prompt = `Go on from there [[mcp: offshoot/smart_fork|${JSON.stringify(wanted)}]]`
      await bench.run(['codex', 'exec', '--skip-git-repo-check', prompt], vars)

      const answered = api.requests.at(-1)?.input.findLast((item) => item.type === 'function_call_output')
      const forked = forkedIn(JSON.stringify(answered))
      expect(forked).toMatchObject({
        resume_session_id: parent,
        plan: { parent: { turn_number: 2 } },
        proof: { source_unchanged: true },
      })
      expect(bench.panes()).toContainEqual([forked.terminal_id, forked.workspace])

      await bench.tell(forked.session_name, 'And the heron?')
      const request = await waitUntil('the request of the fork', () =>
        api.requestsOf(forked.session_id).find(({ input }) => JSON.stringify(input.at(-1)).includes('And the heron?')),
      )
      const prompts = new Set(turns.map((turn) => turn.prompt))
      expect(compareHistory(expected, historyBefore(request.input, prompts), codexRules).diff).toBe('')
      expect(fingerprint(codex).get(file.path)).toBe(before)
    } finally {
      await bench.dispose()
    }
  })
})
