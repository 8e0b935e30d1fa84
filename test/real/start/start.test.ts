// `start` with the real agents and nothing installed: the id is known from birth, each turn is captured and committed in the
// workspace by the hooks that come with the command, and the person's own hooks run beside them.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { addTrust, trustHash, trustKey } from '../../../src/agents/codex/hook-trust.ts'
import type { CommandSpec } from '../../../src/model/fork.ts'
import { followUpsEnded } from '../../capture/follow-ups.ts'
import { allRollouts } from '../codex/rollouts.ts'
import { openCodexWith } from '../codex/terminal.ts'
import { type AppBench, createAppBench } from '../fork/app-bench.ts'
import { claudeVersions, codexVersions } from '../lib/agents.ts'
import { waitUntil } from '../lib/wait.ts'

const pairs = claudeVersions.map((version, at) => [version, codexVersions[at] ?? '0.166.0'] as const)

describe.each(pairs)('Claude Code %s and Codex %s', (claudeVersion, codexVersion) => {
  test('Claude Code is captured from its first turn on, beside hooks of the person', { timeout: 120_000 }, async () => {
    const bench = await createAppBench(claudeVersion, codexVersion)
    try {
      const { app, claude } = bench
      const own = join(claude.sandbox.root, 'own-hook')
      const settings = { hooks: { Stop: [{ hooks: [{ type: 'command', command: `echo hooked >> ${own}` }] }] } }
      mkdirSync(join(claude.sandbox.home, '.claude'), { recursive: true })
      writeFileSync(join(claude.sandbox.home, '.claude', 'settings.json'), JSON.stringify(settings))
      const { start } = await app.start({ agent: 'claude', title: 'A try' })
      const workspace = start.workspace?.path ?? ''
      const file = join(workspace, 'made.txt')
      const said = await run(bench, start.command, ['-p', '--dangerously-skip-permissions'], [`Write it [[write:${file}:hello]]`])
      expect(said.code, said.stderr).toBe(0)
      await expectCaptured(bench, 'claude', start.sessionId, workspace, 'made.txt')
      expect(readFileSync(own, 'utf8')).toBe('hooked\n')
    } finally {
      await followUpsEnded(bench.vars.OFFSHOOT_HOME ?? '')
      await bench.dispose()
    }
  })

  test('Codex too, beside hooks of the person', { timeout: 120_000 }, async () => {
    const bench = await createAppBench(claudeVersion, codexVersion)
    try {
      const { app, codex } = bench
      const own = join(codex.sandbox.root, 'own-notify')
      const config = join(codex.folder, 'config.toml')
      writeFileSync(config, `notify = ["/bin/sh", "-c", "echo told >> ${own}"]\n${readFileSync(config, 'utf8')}`)
      const hooked = `echo hooked >> ${own}`
      const hooks = join(codex.folder, 'hooks.json')
      writeFileSync(hooks, JSON.stringify({ hooks: { Stop: [{ hooks: [{ type: 'command', command: hooked, timeout: 5 }] }] } }))
      const trust = new Map([[trustKey(hooks, 'Stop', 0, 0), trustHash('Stop', hooked, 5)]])
      writeFileSync(config, addTrust(readFileSync(config, 'utf8'), config, trust))
      const before = readFileSync(config, 'utf8')
      const { start } = await app.start({ agent: 'codex', title: 'A try' })
      expect(readFileSync(config, 'utf8')).toBe(before)
      expect(existsSync(start.file ?? '')).toBe(true)
      const workspace = start.workspace?.path ?? ''
      const said = await run(
        bench,
        start.command,
        ['exec', '--skip-git-repo-check', '--json'],
        ['Make it [[shell: echo hello > made.txt]]'],
      )
      expect(said.code, `${said.stdout}\n${said.stderr}`).toBe(0)
      expect(said.stdout).toContain(start.sessionId)
      await expectCaptured(bench, 'codex', start.sessionId, workspace, 'made.txt')
      // Codex does not wait for what it notifies.
      const lines = () => (existsSync(own) ? readFileSync(own, 'utf8') : '').split('\n')
      await waitUntil('both to be told', () => lines().length > 2)
      expect(lines().sort()).toEqual(['', 'hooked', 'told'])
    } finally {
      await followUpsEnded(bench.vars.OFFSHOOT_HOME ?? '')
      await bench.dispose()
    }
  })
})

test.each(codexVersions)('Codex %s opens the started thread in a terminal', { timeout: 120_000 }, async (version) => {
  const bench = await createAppBench('2.1.325', version)
  try {
    const { app, codex, vars } = bench
    const { start } = await app.start({ agent: 'codex' })
    const workspace = start.workspace?.path ?? ''
    const [, ...words] = start.command.argv
    const home = { ...codex, env: vars }
    const config = join(codex.folder, 'config.toml')
    writeFileSync(config, `${readFileSync(config, 'utf8')}[projects."${workspace}"]\ntrust_level = "trusted"\n`)
    const terminal = await openCodexWith(home, words, workspace)
    await terminal.ask('Make it [[shell: echo hello > made.txt]]')
    await terminal.quit()
    await expectCaptured(bench, 'codex', start.sessionId, workspace, 'made.txt', /^Make it /)
  } finally {
    await followUpsEnded(bench.vars.OFFSHOOT_HOME ?? '')
    await bench.dispose()
  }
})

test.each(['session begun', 'session worked', 'session done'])(
  'a start of Codex killed at "%s" leaves nothing',
  async (moment) => {
    const bench = await createAppBench('2.1.325', '0.166.0')
    try {
      const { app, codex, vars } = bench
      const script = fileURLToPath(new URL('../../capture/cut-off.ts', import.meta.url))
      const args = ['start', codex.sandbox.home, vars.OFFSHOOT_HOME ?? '', codex.work, 'codex', moment, vars.PATH ?? '']
      const argv = [process.execPath, '--import', 'tsx', script, ...args]
      const cwd = fileURLToPath(new URL('../../..', import.meta.url))
      const { signal, stderr } = await codex.sandbox.processes.run(argv, { cwd, env: vars })
      expect(signal, stderr).toBe('SIGKILL')
      expect(await app.recover()).toMatchObject({ rolledBack: [{ kind: 'start' }], problems: [] })
      expect([...allRollouts(codex)]).toEqual([])
      expect(await app.listStarts()).toEqual([])
      expect(codex.sandbox.git(codex.work, 'branch', '--list', 'offshoot/*')).toBe('')
    } finally {
      await bench.dispose()
    }
  },
)

/** The same command without its terminal: `-p` and `exec` take the same flags. */
function run({ claude, vars }: AppBench, { argv, cwd }: CommandSpec, headless: readonly string[], words: readonly string[]) {
  const [program = '', ...rest] = argv
  const dashes = rest.indexOf('--')
  const flags = (dashes === -1 ? rest : rest.slice(0, dashes)).filter((word) => word !== 'resume')
  const ids = dashes === -1 ? [] : rest.slice(dashes + 1)
  const verbs =
    program === 'codex'
      ? [...headless, ...flags.filter((flag) => !flag.startsWith('--cd')), 'resume', ...ids]
      : [...headless, ...flags]
  return claude.sandbox.processes.run([program, ...verbs, ...words], { cwd, env: { ...vars, IS_SANDBOX: '1' } })
}

async function expectCaptured(
  { app, claude }: AppBench,
  agent: string,
  id: string,
  workspace: string,
  name: string,
  title = /^A try$/,
): Promise<void> {
  const { session, turn } = await waitUntil('the turn to be captured', async () => {
    await app.refresh()
    const { session } = await app.resolve(`${agent}:${id}`)
    const [turn] = await app.listTurns(session)
    return turn?.snapshot ? { session, turn } : undefined
  })
  expect(session).toMatchObject({ title: expect.stringMatching(title), turns: 1, cwd: workspace, parent: null })
  expect(turn.snapshot).toMatchObject({
    files: [name],
    added: 1,
    removed: 0,
    by: 'hook',
    commit: expect.stringMatching(/^\w{40}$/),
  })
  const log = claude.sandbox.git(workspace, 'log', '--format=%s', '-2').trim().split('\n')
  expect(log[0]).toMatch(/^turn 1: /)
  expect(log[1]).toBe('Start')
  expect(claude.sandbox.git(workspace, 'status', '--porcelain')).toBe('')
  expect(claude.sandbox.git(claude.sandbox.work, 'status', '--porcelain')).toBe('')
}
