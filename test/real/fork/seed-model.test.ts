// Which model a seed runs on, now and at every resume, and what is known of it when the database is lost.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createApp } from '../../../src/app.ts'
import { execNew } from '../codex/exec.ts'
import { claudeCommand } from '../lib/agents.ts'
import { wholeMatrix } from '../lib/matrix.ts'
import { openTerminal } from '../lib/tmux.ts'
import { waitUntil } from '../lib/wait.ts'
import { type AppBench, createAppBench } from './app-bench.ts'

const pairs = [
  ['2.1.325', '0.166.0'],
  ['2.1.197', '0.142.0'],
] as const
if (!wholeMatrix) console.log('models of seeds: left out here, run by npm run test:matrix: 2.1.197 with 0.142.0')

describe.each(wholeMatrix ? pairs : pairs.slice(0, 1))(
  'seeds of Claude Code %s and Codex %s',
  { timeout: 180_000 },
  (claudeVersion, codexVersion) => {
    const withBench = async (work: (bench: AppBench) => Promise<void>) => {
      const bench = await createAppBench(claudeVersion, codexVersion)
      try {
        await work(bench)
      } finally {
        await bench.dispose()
      }
    }

    test("Claude Code runs on the parent's model, whatever the settings say", () =>
      withBench(async (bench) => {
        const { app, claude } = bench
        const { sessionId } = await claude.claude.print('hello', { flags: ['--model', 'claude-haiku-4-5'] })
        settle(bench, 'sonnet')
        const { plan, fork, again } = await app.fork({ address: sessionId, strategy: 'seed', code: 'none' })
        expect(plan.model).toBe('claude-haiku-4-5')
        expect(claude.api.requests.at(-1)).toMatchObject({ sessionId: fork.sessionId, model: 'claude-haiku-4-5' })
        for (const command of [fork.command, again, again]) {
          const argv = [...claudeCommand(claudeVersion), ...command.argv.slice(1), '-p', '--', 'and now']
          await claude.sandbox.processes.run(argv, { cwd: command.cwd, env: bench.vars })
          expect(claude.api.requests.at(-1)).toMatchObject({ sessionId: fork.sessionId, model: 'claude-haiku-4-5' })
        }
      }))

    test('into Claude Code it runs on what the settings say, and the plan names it', () =>
      withBench(async (bench) => {
        const { app, claude, codex } = bench
        const source = await execNew(codex, 'hello')
        settle(bench, 'claude-haiku-4-5')
        const { plan, fork } = await app.fork({ address: source, to: 'claude', code: 'none' })
        expect(plan.model).toBe('claude-haiku-4-5')
        expect(claude.api.requests.at(-1)).toMatchObject({ sessionId: fork.sessionId, model: 'claude-haiku-4-5' })
        expect(fork.command.argv.join(' ')).not.toContain('--model')
      }))

    test("Codex runs on the parent's model, whatever its settings say", () =>
      withBench(async (bench) => {
        const { app, claude, codex } = bench
        const source = await execNew(codex, 'hello', { options: ['--model=gpt-5.4'] })
        const { plan, fork } = await app.fork({ address: source, strategy: 'seed', code: 'none' })
        expect(plan.model).toBe('gpt-5.4')
        expect(fork.command.argv).toContain('--model=gpt-5.4')
        const terminal = openTerminal(claude.sandbox, {
          argv: [codex.binary, ...fork.command.argv.slice(1)],
          cwd: fork.command.cwd,
          env: codex.env,
        })
        await terminal.waitFor(/^› .*\n(.*\n)*.*gpt-5\.4/im)
        await terminal.submit('and now')
        const request = await waitUntil('the prompt', () => codex.api.requestsOf(fork.sessionId).at(-1), {
          describe: terminal.screen,
        })
        expect(request.body.model).toBe('gpt-5.4')
      }))

    test('into Codex it runs on its default, and the plan names it', () =>
      withBench(async ({ app, claude }) => {
        const source = await claude.talk(['hello'])
        const { plan } = await app.fork({ address: source, to: 'codex', code: 'none' })
        expect(plan.model).toBe('gpt-5.5')
      }))

    test.each(['claude', 'codex'] as const)('title and parent of a seed into %s survive the loss of the database', (to) =>
      withBench(async (bench) => {
        const { app, claude, vars } = bench
        const source = await claude.talk(['hello', 'and again', 'the last'])
        const { fork } = await app.fork({
          address: source,
          at: '2',
          to,
          strategy: 'seed',
          code: 'head',
          title: 'A name of its own',
        })
        const before = (await app.resolve(fork.sessionId)).session
        app.close()
        const folder = claude.sandbox.env.OFFSHOOT_HOME ?? ''
        for (const name of readdirSync(folder)) if (name.startsWith('offshoot.db')) rmSync(join(folder, name))
        const later = createApp({ home: claude.sandbox.home, vars, cwd: claude.sandbox.work, now: Date.now })
        const after = (await later.resolve(fork.sessionId)).session
        expect(after).toMatchObject({ title: 'A name of its own', titleFrom: 'custom', parent: before.parent })
        expect(after.parent).toMatchObject({ agent: 'claude', sessionId: source, turnNumber: 2, kind: 'seed' })
        expect(await later.tree((await later.resolve(source)).session)).toMatchObject([
          { session: { id: source }, children: [{ forkKind: 'seed', atTurn: 2, session: { id: fork.sessionId } }] },
        ])
        later.close()
      }),
    )
  },
)

function settle({ claude }: AppBench, model: string): void {
  mkdirSync(join(claude.sandbox.home, '.claude'), { recursive: true })
  writeFileSync(join(claude.sandbox.home, '.claude', 'settings.json'), JSON.stringify({ model }))
}
