// Whole forks through the app with the real CLIs: seeds within and across agents, and forks into workspaces of their own.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { ForkResult } from '../../../src/model/fork.ts'
import type { AgentId, Message } from '../../../src/model/session.ts'
import { execNew, execResume } from '../codex/exec.ts'
import { wholeMatrix } from '../lib/matrix.ts'
import { type ReadSeed, readSeed } from '../lib/seed-rules.ts'
import { type AppBench, createAppBench } from './app-bench.ts'
import { countFork } from './table.ts'

const pairs = [
  ['2.1.325', '0.166.0'],
  ['2.1.197', '0.142.0'],
] as const

if (!wholeMatrix) console.log(`Forks through the app: left out here, run by npm run test:matrix: ${pairs.slice(1).join(', ')}`)

describe.each(wholeMatrix ? pairs : pairs.slice(0, 1))('Claude Code %s and Codex %s', (claudeVersion, codexVersion) => {
  const withBench = async (work: (bench: AppBench) => Promise<void>) => {
    const bench = await createAppBench(claudeVersion, codexVersion)
    try {
      await work(bench)
    } finally {
      await bench.dispose()
    }
  }
  const versionOf = (agent: AgentId) => (agent === 'claude' ? claudeVersion : codexVersion)

  test.each<[AgentId, AgentId]>([
    ['claude', 'codex'],
    ['codex', 'claude'],
    ['claude', 'claude'],
    ['codex', 'codex'],
  ])('a seed from %s to %s', { timeout: 120_000 }, (from, to) =>
    withBench(async (bench) => {
      const parentId = await talk(bench, from)
      const { session } = await bench.app.resolve(parentId)
      const before = hash(session.path)
      const all = await messagesOf(bench, parentId)
      const messages = all.filter(({ role }) => role !== 'system')
      const { fork, proof, plan } = await bench.app.fork({ address: parentId, at: '2', to, strategy: 'seed', code: 'head' })
      expect(plan.strategy).toBe('seed')
      expect(plan.seed?.droppedMessages).toBe(all.length - messages.length)
      expect(plan.seed?.droppedCharacters).toBeGreaterThan(0)
      expect(proof).toMatchObject({ sourceUnchanged: true, prefixVerified: true, cwdVerified: true })
      expect(proof.details.join('\n')).toContain('answered with "Ready." only')
      expect(readdirSync(join(bench.claude.sandbox.env.OFFSHOOT_HOME ?? '', 'seeds'))).toEqual([])
      await goOn(bench, to, fork.sessionId, fork.command.cwd, 'and now this')
      const { seed, answers } = await received(bench, to, fork.sessionId)
      expect(seed.forkId).toBe(fork.id)
      expect(seed.text).not.toMatch(harness)
      expect(seed.blocks.map(({ role }) => role)).toEqual(messages.map(({ role }) => role))
      for (const [index, { role, text, tool }] of messages.entries()) {
        const block = seed.blocks[index]
        if (tool === undefined) expect([block?.role, block?.text]).toEqual([role, text])
        else
          expect(block).toMatchObject({
            head: expect.stringContaining(tool.name),
            text: expect.stringContaining(tool.output ?? ''),
          })
      }
      expect(answers).toContain('Ready.')
      expect(hash(session.path)).toBe(before)
      const child = (await bench.app.resolve(fork.sessionId)).session
      expect(child).toMatchObject({
        title: plan.title,
        parent: { agent: from, sessionId: parentId, turnNumber: 2, kind: 'seed' },
      })
      countFork({ agent: to, version: versionOf(to), strategy: 'seed', scenario: `from ${from}` })
    }),
  )

  test.each<AgentId>(['claude', 'codex'])('%s into a workspace with the present state', { timeout: 120_000 }, (agent) =>
    withBench(async (bench) => {
      const { work } = bench.claude.sandbox
      const parentId = await talk(bench, agent)
      writeFileSync(join(work, 'notes.txt'), 'changed\n')
      const { fork, proof, plan } = await bench.app.fork(
        { address: parentId, at: '1', code: 'now' },
        { accept: ['dirty', 'code_now'] },
      )
      expect(proof).toMatchObject({ sourceUnchanged: true, prefixVerified: true, cwdVerified: true })
      expect(readFileSync(join(fork.workspace?.path ?? '', 'notes.txt'), 'utf8')).toBe('changed\n')
      await goOn(bench, agent, fork.sessionId, fork.command.cwd, 'where are you?')
      const { session } = await bench.app.resolve(fork.sessionId)
      expect(session).toMatchObject({ turns: 2, cwd: fork.workspace?.path, title: plan.title, parent: { turnNumber: 1 } })
      await expect(bench.app.undo(fork.id)).rejects.toMatchObject({ code: 'fork_used' })
      await bench.app.undo(fork.id, { force: true })
      expect(existsSync(fork.workspace?.path ?? '')).toBe(false)
      await expect(bench.app.resolve(fork.sessionId)).rejects.toMatchObject({ code: 'session_not_found' })
      await goOn(bench, agent, parentId, work, 'and the parent goes on')
      expect((await bench.app.resolve(parentId)).session.turns).toBe(4)
    }),
  )
})

/** Words that both agents put into every session themselves. */
const harness =
  /system-reminder|skills?_instructions|permissions? instructions|environment_context|AGENTS\.md|# Environment|deferred tools/i

async function talk({ claude, codex }: AppBench, agent: AgentId): Promise<string> {
  if (agent === 'claude') return claude.talk(['hello', 'look [[bash:echo out; exit 0]]', 'the last </offshoot-transcript>'])
  const id = await execNew(codex, 'hello')
  await execResume(codex, id, 'look [[shell: echo out]]')
  await execResume(codex, id, 'the last </offshoot-transcript>')
  return id
}

async function goOn({ claude, codex }: AppBench, agent: AgentId, id: string, cwd: string, prompt: string): Promise<void> {
  if (agent === 'claude') await claude.claude.print(prompt, { flags: ['--resume', id], cwd })
  else await execResume(codex, id, prompt, { cwd })
}

/** What the child's model had before it when it was asked to go on. */
async function received(
  bench: AppBench,
  agent: AgentId,
  id: ForkResult['fork']['sessionId'],
): Promise<{ seed: ReadSeed & { readonly text: string }; answers: string[] }> {
  const history =
    agent === 'claude'
      ? bench.claude.api.requests.findLast(({ sessionId }) => sessionId === id)?.messages
      : bench.codex.api.requestsOf(id).at(-1)?.input
  const texts = (history ?? []).flatMap((item) => textsOf(item))
  const seed = texts.find(({ text }) => text.startsWith('[OFFSHOOT_FORK_SEED '))
  if (seed === undefined) throw new Error('the seed is not in the history')
  return {
    seed: { ...readSeed(seed.text), text: seed.text },
    answers: texts.filter(({ role }) => role === 'assistant').map(({ text }) => text),
  }
}

function textsOf(item: object): { role: unknown; text: string }[] {
  const { role, content } = item as { role?: unknown; content?: unknown }
  if (typeof content === 'string') return [{ role, text: content }]
  if (!Array.isArray(content)) return []
  return content.flatMap((block: { text?: unknown }) => (typeof block.text === 'string' ? { role, text: block.text } : []))
}

async function messagesOf({ app }: AppBench, id: string): Promise<Message[]> {
  const { session, turn } = await app.resolve(`${id}@2`)
  const messages: Message[] = []
  for await (const entry of app.readSession(session, { upTo: { turnId: turn?.id ?? '' } })) {
    if (entry.kind === 'message') messages.push(entry.message)
  }
  return messages
}

function hash(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex')
}
