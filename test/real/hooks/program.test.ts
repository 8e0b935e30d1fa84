// The hook program itself under the real CLIs, installed as a person installs it: the agent works as without it, and the turn's
// code is there as a ref.
import { writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { startExec } from '../codex/exec.ts'
import { type AppBench, createAppBench } from '../fork/app-bench.ts'
import type { ClaudeVersion, CodexVersion } from '../lib/agents.ts'
import { wholeMatrix } from '../lib/matrix.ts'

const pairs: readonly (readonly [ClaudeVersion, CodexVersion])[] = [
  ['2.1.325', '0.166.0'],
  ...(wholeMatrix ? ([['2.1.197', '0.142.0']] as const) : []),
]

describe.each(pairs)('the hook program in Claude Code %s and Codex %s', (claudeVersion, codexVersion) => {
  it('captures turns, and nobody notices', { timeout: 180_000 }, async () => {
    const bench = await createAppBench(claudeVersion, codexVersion)
    try {
      const before = await runBoth(bench, 'before.txt')
      const installed = await bench.app.installHooks()
      expect(installed.map(({ status, error, notes }) => [status.agent, status.state, error, notes])).toEqual([
        ['claude', 'installed', null, []],
        ['codex', 'installed', null, []],
      ])
      expect(refs(bench)).toEqual([])
      const after = await runBoth(bench, 'after.txt')
      expect(after.map(({ code, stderr, said }) => [code, stderr, said])).toEqual(
        before.map(({ code, stderr, said }) => [code, stderr, said.replaceAll('before.txt', 'after.txt')]),
      )
      for (const { id } of after) expect(refs(bench).filter((ref) => ref.includes(id) && ref.endsWith('/end'))).toHaveLength(1)
      const states = await bench.app.uninstallHooks()
      expect(states.map(({ status, changed }) => [status.state, changed])).toEqual([
        ['absent', true],
        ['absent', true],
      ])
      const kept = refs(bench)
      await runBoth(bench, 'silent.txt')
      expect(refs(bench)).toEqual(kept)
    } finally {
      await bench.dispose()
    }
  })
})

function refs({ claude }: AppBench): string[] {
  const listed = claude.sandbox.git(claude.sandbox.work, 'for-each-ref', '--format=%(refname)', 'refs/offshoot/')
  return listed.split('\n').filter((ref) => ref !== '')
}

async function runBoth({ claude, codex }: AppBench, name: string) {
  writeFileSync(claude.file(name), 'by hand')
  const printed = await claude.claude.tryPrint(`look [[bash:cat ${name}; echo more >> ${name}]]`)
  const { session_id, result } = JSON.parse(printed.stdout) as { session_id: string; result: string }
  const ran = await startExec(codex, [`look [[shell: cat ${name}]]`]).ended
  const thread = /"thread_id":"([^"]+)"/.exec(ran.stdout)?.[1] ?? ''
  const events = ran.stdout.replaceAll(thread, '').replace(/Answer \d+/g, '')
  return [
    { id: session_id, code: printed.code, stderr: printed.stderr, said: result },
    { id: thread, code: ran.code, stderr: ran.stderr, said: events.replace(/"usage":\{[^}]*\}/g, '') },
  ]
}
