// A fork that cannot be proven is refused and taken back: the source changed under it, or the child is not what it should be.
import { appendFileSync, closeSync, existsSync, openSync, readdirSync, readFileSync, writeFileSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Agent } from '../../src/agents/agent.ts'
import { claude } from '../../src/agents/claude/index.ts'
import { createSandbox, type Sandbox } from './sandbox.ts'

let sandbox: Sandbox
beforeEach(() => {
  sandbox = createSandbox()
})
afterEach(() => sandbox.close())

/** Claude Code, with something done behind its back. */
function disturbed(at: 'written' | 'read back', disturb: (sourcePath: string, childPath: string) => void): Agent {
  return {
    ...claude,
    async writePrefix(source, env, cut, target) {
      const file = await claude.writePrefix(source, env, cut, target)
      if (at === 'written') disturb(source.path, file.path ?? '')
      return file
    },
    async *readBoth(parent, child, env, options) {
      yield* claude.readBoth?.(parent, child, env, options) ?? []
      if (at === 'read back') disturb(parent.path, child.path)
    },
  }
}

/** One byte in the middle, so that neither size nor name tells. */
function changeByte(path: string): void {
  const file = openSync(path, 'r+')
  writeSync(file, '~', readFileSync(path).indexOf('prompt 1'))
  closeSync(file)
}

async function forkWith(agent: Agent) {
  const source = sandbox.session({ turns: 3 })
  const app = sandbox.app({ agents: [agent] })
  return { source, app, forked: app.fork({ address: source.id, at: '2', code: 'none' }) }
}

test.each(['written', 'read back'] as const)('a source changed in place after the child was %s', async (at) => {
  const { source, app, forked } = await forkWith(disturbed(at, (path) => changeByte(path)))
  await expect(forked).rejects.toMatchObject({ code: 'failed', details: { proof: { source_unchanged: false } } })
  expect(readdirSync(dirname(source.path))).toEqual([`${source.id}.jsonl`])
  expect(await app.listForks()).toEqual([])
})

test.each(['written', 'read back'] as const)('a source that has only grown after the child was %s is unchanged', async (at) => {
  const { forked } = await forkWith(disturbed(at, (path) => appendFileSync(path, '{"type":"mode","mode":"normal"}\n')))
  const { proof, fork } = await forked
  expect(proof).toMatchObject({ sourceUnchanged: true, prefixVerified: true, cwdVerified: true })
  expect(existsSync(fork.file ?? '')).toBe(true)
})

test('a child with another word in it', async () => {
  const damage = (_: string, child: string) => writeFileSync(child, readFileSync(child, 'utf8').replace('prompt 1', 'Prompt 1'))
  const { source, app, forked } = await forkWith(disturbed('written', damage))
  await expect(forked).rejects.toMatchObject({
    code: 'failed',
    message: expect.stringContaining('message 1 has another text'),
    details: { proof: { source_unchanged: true, prefix_verified: false } },
  })
  expect(readdirSync(dirname(source.path))).toEqual([`${source.id}.jsonl`])
  expect(await app.listForks()).toEqual([])
})

test('a child that does not fit a source that was written on meanwhile: nothing is known, nothing stays', async () => {
  const both = (path: string, child: string) => {
    appendFileSync(path, '{"type":"mode","mode":"normal"}\n')
    writeFileSync(child, readFileSync(child, 'utf8').replace('prompt 1', 'Prompt 1'))
  }
  const { source, app, forked } = await forkWith(disturbed('written', both))
  await expect(forked).rejects.toMatchObject({ code: 'plan_stale' })
  expect(readdirSync(dirname(source.path))).toEqual([`${source.id}.jsonl`])
  expect(await app.listForks()).toEqual([])
})

test('a tip that goes on between the look at the plan and the first hash of the source', async () => {
  const source = sandbox.session({ turns: 2 })
  const onForkStep = (moment: string) => void (moment === 'record done' && source.addTurn('the next one'))
  const app = sandbox.app({ onForkStep })
  await expect(app.fork({ address: source.id, strategy: 'prefix', code: 'none' })).rejects.toMatchObject({ code: 'plan_stale' })
  expect(readdirSync(dirname(source.path))).toEqual([`${source.id}.jsonl`])
  expect(await app.listForks()).toEqual([])
})
