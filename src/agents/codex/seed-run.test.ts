import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { AgentEnv } from '../agent-env.ts'
import { withFakeCodex } from './fake-codex.testkit.ts'
import { Rollout, threadId, useHomes } from './home.testkit.ts'
import { runSeed } from './seed-run.ts'

const newHome = useHomes()

function seed(env: AgentEnv, text = 'the transcript') {
  const promptPath = join(env.home, 'seed')
  writeFileSync(promptPath, text)
  return runSeed(env, { promptPath, cwd: env.home })
}

function says(...events: unknown[]): string {
  return `const text = require('node:fs').readFileSync(0, 'utf8')
require('node:fs').writeFileSync('seen', JSON.stringify({ text, argv: process.argv.slice(2), internal: process.env.OFFSHOOT_INTERNAL }))
for (const event of ${JSON.stringify(events)}) console.log(typeof event === 'string' ? event : JSON.stringify(event))`
}

const started = { type: 'thread.started', thread_id: threadId }
const answer = (text: string) => ({ type: 'item.completed', item: { type: 'agent_message', text } })

describe('planting a seed', () => {
  it('gives the prompt by stdin and takes the last answer', async () => {
    const env = withFakeCodex(newHome(), says(started, 'a note', { type: 'turn.started' }, answer('well'), answer('Understood.')))
    const { path } = new Rollout().place(env)
    await expect(seed(env, '--json "x"\n')).resolves.toEqual({ sessionId: threadId, path, acknowledgement: 'Understood.' })
    expect(JSON.parse(readFileSync(join(env.home, 'seen'), 'utf8'))).toEqual({
      text: '--json "x"\n',
      argv: ['exec', '--json', '--skip-git-repo-check', `--cd=${env.home}`, '-'],
      internal: '1',
    })
  })

  it('fails when the turn fails, with what Codex says', async () => {
    const failed = { type: 'turn.failed', error: { message: 'context window exceeded' } }
    await expect(seed(withFakeCodex(newHome(), says(started, failed)))).rejects.toMatchObject({
      code: 'failed',
      message: 'Codex did not take the seed: context window exceeded',
    })
    const refused = withFakeCodex(newHome(), `console.error('not logged in'); process.exit(1)`)
    await expect(seed(refused)).rejects.toThrow('Codex did not take the seed: not logged in')
  })

  it('fails when there is no file of the thread', async () => {
    await expect(seed(withFakeCodex(newHome(), says(started, answer('ok'))))).rejects.toThrow('left no file')
  })

  it('says that there is no codex', async () => {
    const env = newHome()
    await expect(seed({ ...env, vars: { ...env.vars, PATH: env.home } })).rejects.toMatchObject({ code: 'tool_missing' })
  })
})
