// The user's own words in a thread, and threads whose lines are not written as Codex writes them.
import { describe, expect, it } from 'vitest'
import { findSession, placeRollout, Rollout, readMessages, readSample, rolloutPath, show, useHomes } from './home.testkit.ts'
import { codex } from './index.ts'
import { tagRefusal } from './prompts.ts'

const newHome = useHomes()

async function told(rollout: Rollout) {
  const env = newHome()
  const file = rollout.place(env)
  const { turns, title } = await codex.summarise(file, env)
  const texts = async (view: 'all' | 'context') => show(await readMessages(file, env, { view }))
  return { prompts: turns.map(({ prompt }) => prompt), title, all: await texts('all'), context: await texts('context') }
}

describe("the user's words", () => {
  const words = 'rename the flag\n\n## My request for Codex: stays'
  const wrapped = `# Context from my IDE setup:\n\n## Active file: a.ts\n\n## Open tabs:\n- a.ts\n\n## My request for Codex:\n${words}`

  it('are those behind what an IDE put in front of them', async () => {
    const marked = await told(new Rollout().start('a').prompt(wrapped).says('assistant', 'ok').end('a'))
    expect(marked).toMatchObject({
      prompts: [words],
      title: 'rename the flag ## My request for Codex: stays',
      all: [`user: ${words}`, 'assistant: ok'],
      context: [`user: ${wrapped}`, 'assistant: ok'],
    })
    const legacy = new Rollout({}, { legacy: true }).says('user', wrapped).event('user_message', { message: wrapped })
    expect((await told(legacy.says('assistant', 'ok'))).prompts).toEqual([words])
    const events = new Rollout({}, { legacy: true }).event('user_message', { message: wrapped })
    expect((await told(events.event('agent_message', { message: 'ok' }))).all[0]).toBe(`user: ${words}`)
  })

  it('are the parts of a message that are marked as such', async () => {
    const content = ['<environment_context>\n</environment_context>', 'rename it'].map((text) => ({ type: 'input_text', text }))
    const kinds = { content_item_kinds: ['environments.environment_context', 'user.text'] }
    const metadata = { internal_chat_message_metadata_passthrough: kinds }
    const marked = new Rollout().start('a').item('message', { role: 'user', content, ...metadata })
    expect((await told(marked.end('a'))).prompts).toEqual(['rename it'])
    const unmarked = new Rollout({}, { legacy: true }).item('message', { role: 'user', content })
    expect((await told(unmarked)).prompts).toEqual(['rename it'])
  })

  it.each(['<user_action>\n  <context>a review</context>\n</user_action>', '<model_switch>\nnow\n</model_switch>'])(
    'are not in %j',
    async (text) => {
      const { prompts, title } = await told(new Rollout({}, { legacy: true }).says('user', text).says('user', 'go on'))
      expect([prompts, title]).toEqual([['go on'], 'go on'])
    },
  )

  it.each([false, true])("are not in offshoot's own refusal, which Codex counts as a prompt (legacy: %s)", async (legacy) => {
    const text = tagRefusal('Nobody is there to be asked.')
    const twice = (rollout: Rollout) =>
      rollout
        .start('a')
        .prompt('one')
        .says('assistant', 'ok')
        .end('a')
        .start('b')
        .prompt('two')
        .prompt(text)
        .says('assistant', 'no')
        .end('b')
    const { prompts, all } = await told(twice(new Rollout({}, { legacy })))
    expect([prompts, all]).toEqual([
      ['one', 'two'],
      ['user: one', 'assistant: ok', 'user: two', `system: ${text}`, 'assistant: no'],
    ])
    const back = await told(twice(new Rollout({}, { legacy })).event('thread_rolled_back', { num_turns: 2 }))
    expect(back.prompts).toEqual(['one'])
  })

  it('of a plan that was accepted are titled by its heading', async () => {
    const text =
      "A previous agent produced the plan below to accomplish the user's task. Implement it.\n\n# Rename the flag\n\n1. do it"
    expect((await told(new Rollout().start('a').prompt(text).end('a'))).title).toBe('Rename the flag')
  })
})

it.each(['02-exec-4turns-shell-patch.jsonl', '09-tui-interrupt-compact.jsonl', '11-legacy-mode-3turns.jsonl'])(
  'reads %s the same when the type of a payload does not come first',
  async (name) => {
    const read = async (content: Buffer | string) => {
      const env = newHome()
      const file = findSession(env, placeRollout(rolloutPath(env.home, content), content))
      const { mark: _mark, resume: _resume, ...summary } = await codex.summarise(file, env)
      return { summary, messages: await readMessages(file, env) }
    }
    const original = readSample(name)
    const other = await read(original.toString().split('\n').map(typeLast).join('\n'))
    expect(other).toEqual(await read(original))
    expect(other.summary.skipped).toEqual({})
  },
)

function typeLast(line: string): string {
  if (line === '') return line
  const { payload, ...rest } = JSON.parse(line) as { payload: { type?: string } }
  const { type, ...fields } = payload
  return JSON.stringify({ ...rest, payload: type === undefined ? fields : { ...fields, type } })
}
