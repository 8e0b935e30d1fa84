// A seed into the real Codex in a hostile home: no model is asked, nothing runs, and nothing of how it was planted stays.
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { isObject } from '../../../src/lib/jsonl.ts'
import { startAppServer } from '../codex/app-server.ts'
import { execNew, execResume } from '../codex/exec.ts'
import { openCodexWith } from '../codex/terminal.ts'
import { type CodexVersion, codexVersions } from '../lib/agents.ts'
import { versionsToTry } from '../lib/matrix.ts'
import { isSeed } from '../lib/seed-rules.ts'
import { createInertBench, fileContent, type InertBench } from './bench.ts'

describe.each(versionsToTry('seeds into Codex', codexVersions))(
  'a seed into Codex %s',
  { timeout: 240_000 },
  (version: CodexVersion) => {
    const withBench = async (work: (bench: InertBench) => Promise<void>) => {
      const bench = await createInertBench(version === '0.166.0' ? '2.1.325' : '2.1.197', version)
      try {
        await work(bench)
      } finally {
        await bench.dispose()
      }
    }

    test.each([
      ['claude', 'head'],
      ['claude', 'none'],
      ['codex', 'none'],
    ] as const)('from %s (code: %s) asks no model, runs nothing and leaves the next turns as they would be', (from, code) =>
      withBench(async (bench) => {
        const { app, codex } = bench
        const source = await bench.tempt(from, true)
        const hostile = bench.turnHostile()
        hostile.clear()
        const before = codex.api.requests.length
        const request = { address: `${from}:${source}`, to: 'codex', strategy: 'seed', code } as const
        const { fork, proof } = await app.fork(request, { accept: ['dirty'] })
        expect(proof).toMatchObject({ sourceUnchanged: true, prefixVerified: true, cwdVerified: true })
        expect(codex.api.requests.length).toBe(before)
        expect(hostile.marks()).toEqual([])
        expect((await app.resolve(fork.sessionId)).session).toMatchObject({ turns: 1, title: fork.title })
        const { cwd } = fork.command

        const server = await startAppServer(codex)
        const fresh = await server.request<Opened>('thread/start', { cwd })
        const opened = await server.request<Opened>('thread/resume', { threadId: fork.sessionId, cwd })
        await server.stop()
        expect(settingsOf(opened)).toEqual(settingsOf(fresh))
        expect(settingsOf(opened)).toMatchObject({ approvalPolicy: 'never', sandbox: { type: 'dangerFullAccess' } })

        const other = await execNew(codex, 'And now?', { cwd })
        hostile.clear()
        await execResume(codex, fork.sessionId, 'And now?', { cwd })
        expect(hostile.marks()).toEqual(expect.arrayContaining(['hook-Stop', 'mcp-user', 'notify']))
        const [there, here] = [other, fork.sessionId].map((id) => codex.api.requestsOf(id).at(-1))
        expect(here?.body.model).toBe(there?.body.model)
        expect(toolsOf(here?.body)).toEqual(toolsOf(there?.body))
        expect(JSON.stringify(here?.input)).not.toContain(fileContent)
        const said = saidIn(here?.input ?? [])
        expect(said.map(({ role, text }) => [role, isSeed(text) ? 'seed' : text])).toEqual([
          ['user', 'seed'],
          ['assistant', 'Ready.'],
          ['user', 'And now?'],
        ])
      }),
    )

    test('is opened in a terminal with the permissions of a fresh session', () =>
      withBench(async (bench) => {
        const { app, codex } = bench
        const source = await bench.tempt('claude', false)
        const { fork } = await app.fork({ address: source, to: 'codex', code: 'head' })
        const terminal = await openCodexWith(codex, fork.command.argv.slice(1), fork.command.cwd)
        await terminal.ask('Typed in it')
        await terminal.quit()
        const contexts = readFileSync(fork.file ?? '', 'utf8')
          .split('\n')
          .filter((line) => line.includes('"type":"turn_context"'))
          .map((line) => (JSON.parse(line) as { payload: Record<string, unknown> }).payload)
        expect(contexts.at(-1)).toMatchObject({ approval_policy: 'never', sandbox_policy: { type: 'danger-full-access' } })
        expect(saidIn(codex.api.requestsOf(fork.sessionId).at(-1)?.input ?? []).map(({ text }) => text.slice(0, 12))).toEqual([
          '[OFFSHOOT_FO',
          'Ready.',
          'Typed in it',
        ])
        const turns = await app.listTurns((await app.resolve(fork.sessionId)).session)
        expect(turns.map(({ number, state, prompt }) => [number, state, prompt.slice(0, 12)])).toEqual([
          [1, 'complete', '[OFFSHOOT_FO'],
          [2, 'complete', 'Typed in it'],
        ])
      }))

    test('is forked again at the seed and behind it', () =>
      withBench(async (bench) => {
        const { app, codex } = bench
        const source = await bench.tempt('claude', false)
        const { fork } = await app.fork({ address: source, to: 'codex', code: 'none' })
        await execResume(codex, fork.sessionId, 'One', { cwd: fork.command.cwd })
        await execResume(codex, fork.sessionId, 'Two', { cwd: fork.command.cwd })
        for (const [at, prompts] of [
          ['1', []],
          ['2', ['One']],
          ['last', ['One', 'Two']],
        ] as const) {
          const child = (await app.fork({ address: fork.sessionId, at, code: 'head' })).fork
          await execResume(codex, child.sessionId, 'Deeper', { cwd: child.command.cwd })
          const asked = saidIn(codex.api.requestsOf(child.sessionId).at(-1)?.input ?? []).filter(({ role }) => role === 'user')
          expect(asked.slice(1).map(({ text }) => text)).toEqual([...prompts, 'Deeper'])
          expect(isSeed(asked[0]?.text ?? '')).toBe(true)
        }
      }))
  },
)

interface Opened {
  readonly [name: string]: unknown
}

function settingsOf({ model, modelProvider, approvalPolicy, sandbox, reasoningEffort }: Opened) {
  return { model, modelProvider, approvalPolicy, sandbox, reasoningEffort }
}

/** Models of some versions are offered tools in the conversation instead. */
function toolsOf(body: Readonly<Record<string, unknown>> | undefined): unknown[] {
  const tools = Array.isArray(body?.tools) ? body.tools : []
  return tools.map((tool: unknown) => (isObject(tool) ? (tool.name ?? tool.type) : tool))
}

/** What the person and the model said, without what Codex puts in. */
function saidIn(input: readonly Readonly<Record<string, unknown>>[]): { role: string; text: string }[] {
  return input.flatMap(({ type, role, content }) => {
    const text = Array.isArray(content) ? content.map((part: unknown) => (isObject(part) ? String(part.text) : '')).join('') : ''
    const isSaid = type === 'message' && role !== 'developer' && !/^(<(?!offshoot)|# AGENTS)/.test(text)
    return isSaid ? [{ role: String(role), text: text.trim() }] : []
  })
}
