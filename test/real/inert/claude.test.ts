// A seed into the real Claude Code in a hostile home: nothing runs, and nothing of how it was planted stays.
import { describe, expect, test } from 'vitest'
import { type ApiMessage, blocksOf } from '../claude/messages-api.ts'
import { type ClaudeVersion, claudeCommand, claudeVersions } from '../lib/agents.ts'
import { versionsToTry } from '../lib/matrix.ts'
import { isSeed } from '../lib/seed-rules.ts'
import { createInertBench, fileContent, type InertBench } from './bench.ts'

describe.each(versionsToTry('seeds into Claude Code', claudeVersions))(
  'a seed into Claude Code %s',
  { timeout: 180_000 },
  (version) => {
    const withBench = async (work: (bench: InertBench) => Promise<void>) => {
      const bench = await createInertBench(version, version === '2.1.325' ? '0.166.0' : '0.142.0')
      try {
        await work(bench)
      } finally {
        await bench.dispose()
      }
    }

    test.each(['head', 'none'] as const)('runs nothing and leaves the next turns as they would be (code: %s)', (code) =>
      withBench(async (bench) => {
        const { app, claude } = bench
        const source = await bench.tempt('codex', false)
        const hostile = bench.turnHostile()
        const before = claude.api.requests.length
        const { fork, proof } = await app.fork({ address: `codex:${source}`, to: 'claude', code }, { accept: ['dirty'] })
        expect(proof).toMatchObject({ sourceUnchanged: true, prefixVerified: true, cwdVerified: true })
        const [seeding, ...more] = claude.api.requests.slice(before)
        expect(more).toEqual([])
        expect(seeding?.tools).toEqual([])
        expect(JSON.stringify(seeding?.messages)).not.toContain(fileContent)
        expect(hostile.marks()).toEqual([])
        expect(claude.sandbox.git(fork.command.cwd, 'status', '--porcelain')).toBe('')

        // Its model is that of its last answer, as in every session that is resumed.
        const other = await speak(bench, fork.command.cwd, ['-p'])
        const fresh = await speak(bench, fork.command.cwd, [`--resume=${other.sessionId}`, '-p'])
        hostile.clear()
        const resumed = await speak(bench, fork.command.cwd, [`--resume=${fork.sessionId}`, '-p'])
        expect(hostile.marks()).toEqual(
          expect.arrayContaining(['hook-user-Stop', 'hook-project-Stop', 'mcp-project', 'mcp-user']),
        )
        expect(resumed.tools).toEqual(fresh.tools)
        expect(resumed.model).toBe(fresh.model)
        expect(resumed.system).toEqual(fresh.system)
        expect([fresh.permissionMode, resumed.permissionMode]).toEqual(['bypassPermissions', 'bypassPermissions'])
        expect(resumed.cwd).toBe(fork.command.cwd)
        expect(resumed.said.map(({ role, text }) => [role, isSeed(text) ? 'seed' : text])).toEqual([
          ['user', 'seed'],
          ['assistant', 'Ready.'],
          ['user', 'And now?'],
        ])
      }),
    )

    test('is taken back when the model does anything but acknowledge it', () =>
      withBench(async (bench) => {
        const { app, claude } = bench
        const source = await bench.tempt('claude', true)
        const hostile = bench.turnHostile()
        const sessions = (await app.listSessions()).length
        const before = claude.api.requests.length
        await expect(app.fork({ address: source, strategy: 'seed', code: 'head' })).rejects.toMatchObject({
          code: 'failed',
          message: expect.stringContaining('tools'),
        })
        expect(claude.api.requests.length - before).toBe(1)
        expect(hostile.marks()).toEqual([])
        expect(await app.listForks()).toEqual([])
        expect(await app.listSessions()).toHaveLength(sessions)
      }))
  },
)

interface Spoken {
  readonly sessionId: unknown
  readonly tools: readonly string[]
  readonly model: string
  readonly system: unknown
  readonly permissionMode: unknown
  readonly cwd: unknown
  /** What the person and the model said, without what the CLI puts in. */
  readonly said: readonly { readonly role: string; readonly text: string }[]
}

/** One prompt in print mode, as the person's own settings have it. */
async function speak({ claude, vars }: InertBench, cwd: string, flags: readonly string[]): Promise<Spoken> {
  const argv = [
    ...claudeCommand(claude.claude.version as ClaudeVersion),
    ...flags,
    '--output-format=stream-json',
    '--verbose',
    '--',
    'And now?',
  ]
  const { code, stdout, stderr } = await claude.sandbox.processes.run(argv, { cwd, env: vars })
  if (code !== 0) throw new Error(`${stdout}\n${stderr}`)
  const init = stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)
    .find(({ type, subtype }) => type === 'system' && subtype === 'init')
  const request = claude.api.requests.at(-1)
  if (init === undefined || request === undefined) throw new Error(`nothing was asked: ${stdout}`)
  const { tools, model, messages } = request
  const system = request.system.filter((text) => !text.startsWith('x-anthropic-billing-header'))
  const { session_id: sessionId, permissionMode, cwd: startedIn } = init
  return { sessionId, tools, model, system, permissionMode, cwd: startedIn, said: messages.flatMap(saidIn) }
}

function saidIn(message: ApiMessage): { role: string; text: string }[] {
  if (message.role === 'system') return []
  return blocksOf(message).flatMap((block) =>
    block.type === 'text' && !block.text.trimStart().startsWith('<system-reminder>')
      ? [{ role: message.role, text: block.text.trim() }]
      : [],
  )
}
