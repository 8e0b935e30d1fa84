// What Codex may do with a seed besides taking it, by a stand-in: what the real one does is in test/real/inert.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { AgentEnv } from '../agent-env.ts'
import { fakeServer, withFakeCodex } from './fake-codex.testkit.ts'
import { Rollout, threadId, useHomes } from './home.testkit.ts'
import { codexInert } from './inert.ts'

const newHome = useHomes()

function seed(env: AgentEnv, model: string | null = null) {
  const promptPath = join(env.home, 'seed')
  writeFileSync(promptPath, '--json "x"\n')
  const rest = { cwd: env.home, runIn: env.home, title: 'Fork of it', acknowledgement: 'Ready.', onCreate: () => undefined }
  return codexInert.seed(env, { promptPath, sessionId: '', model, ...rest })
}

/** Also writes down what it was started with and asked for. */
function server(env: AgentEnv, answers: Readonly<Record<string, unknown>>): string {
  const seen = JSON.stringify(join(env.home, 'seen'))
  const note = (what: string) => `require('node:fs').appendFileSync(${seen}, JSON.stringify(${what}) + '\\n')`
  const all = { initialize: {}, 'config/read': { config: {} }, 'thread/inject_items': {}, 'thread/name/set': {}, ...answers }
  return `${note('process.argv.slice(2)')}
process.stdin.on('data', (data) => { for (const line of String(data).trim().split('\\n')) ${note('JSON.parse(line)')} })
${fakeServer(all)}`
}

function seenIn(env: AgentEnv): unknown[] {
  const lines = readFileSync(join(env.home, 'seen'), 'utf8').trim().split('\n')
  return lines.map((line): unknown => JSON.parse(line))
}

describe('a seed', () => {
  it('is put into a fresh thread with its acknowledgement, without servers and hooks', async () => {
    const home = newHome()
    const { path } = new Rollout().place(home)
    const config = { config: { mcp_servers: { plain: {}, 'my.srv "x"': {} } } }
    const env = withFakeCodex(home, server(home, { 'config/read': config, 'thread/start': { thread: { id: threadId, path } } }))
    await expect(seed(env)).resolves.toEqual({ sessionId: threadId, path })
    const seen = seenIn(home)
    expect(seen[0]).toEqual(['app-server'])
    const flags = seen.findLast((each): each is string[] => Array.isArray(each)) ?? []
    expect(flags.at(-1)).toBe('app-server')
    expect(flags).toEqual(expect.arrayContaining(['--config=features.hooks=false', '--config=notify=[]']))
    expect(flags).toContain('--config=mcp_servers={"plain"={enabled=false},"my.srv \\"x\\""={enabled=false}}')
    expect(seen).toContainEqual(expect.objectContaining({ method: 'thread/start', params: { cwd: home.home } }))
    const items = [
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: '--json "x"\n' }] },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Ready.' }] },
    ]
    expect(seen).toContainEqual(expect.objectContaining({ method: 'thread/inject_items', params: { threadId, items } }))
    expect(JSON.stringify(seen)).not.toContain('turn/start')
  })

  it('names the model only where one is asked for', async () => {
    const home = newHome()
    const { path } = new Rollout().place(home)
    const env = withFakeCodex(home, server(home, { 'thread/start': { thread: { id: threadId, path } } }))
    await seed(env, 'gpt-5.4')
    const params = { cwd: home.home, model: 'gpt-5.4' }
    expect(seenIn(home)).toContainEqual(expect.objectContaining({ method: 'thread/start', params }))
  })

  it.each([
    ['no thread', { 'thread/start': {} }, 'did not say which'],
    ['no file', { 'thread/start': { thread: { id: threadId, path: '/not/there' } } }, 'left no file'],
    ['a refusal', { 'thread/start': { thread: { id: threadId, path: '/' } }, 'thread/inject_items': { error: 'no' } }, 'no'],
  ])('fails where there is %s', async (_, answers, words) => {
    const home = newHome()
    await expect(seed(withFakeCodex(home, server(home, answers)))).rejects.toMatchObject({
      code: 'failed',
      message: expect.stringContaining(words),
    })
  })

  it('says that there is no codex', async () => {
    const env = newHome()
    await expect(seed({ ...env, vars: { ...env.vars, PATH: env.home } })).rejects.toMatchObject({ code: 'tool_missing' })
  })
})
