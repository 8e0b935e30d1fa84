import { describe, expect, it } from 'vitest'
import { findSession, placeBare, placeSample, Rollout, readAll, readMessages, show, showTurns, useHomes } from './home.testkit.ts'
import { codex } from './index.ts'

const newHome = useHomes()

async function turnsOf(rollout: Rollout) {
  const env = newHome()
  const file = rollout.place(env)
  const summary = await codex.summarise(file, env)
  const entries = await readAll(file, env)
  expect(entries.flatMap((entry) => (entry.kind === 'turn' ? [entry.turn] : []))).toEqual(summary.turns)
  return { env, file, summary, messages: await readMessages(file, env) }
}

describe('turns', () => {
  it('are counted by their start lines, not by prompts', async () => {
    const env = newHome()
    const file = findSession(env, placeSample(env.home, '16-failed-turn.jsonl'))
    const { turns } = await codex.summarise(file, env)
    expect(turns.map(({ number, prompt, state }) => [number, prompt, state])).toEqual([
      [1, 'steer base', 'complete'],
      [2, 'steer slow [[sleep: 1500]]', 'complete'],
      [3, '', 'complete'],
      [4, 'boom [[fail: 400]]', 'failed'],
    ])
    const prompts = (await readMessages(file, env)).filter(({ role, turnId }) => role === 'user' && turnId === turns[1]?.id)
    expect(prompts.map(({ text }) => text)).toEqual(['steer slow [[sleep: 1500]]', 'STEERED message'])
  })

  it('are running when last and open, interrupted when another one follows', async () => {
    const { summary } = await turnsOf(new Rollout().start('a').prompt('one').start('b').prompt('two'))
    expect(showTurns(summary.turns)).toEqual(['1 a interrupted 1 "one"', '2 b running 1 "two"'])
  })

  it('end only by their own end line', async () => {
    const { summary } = await turnsOf(new Rollout().start('a').prompt('one').end('other').says('assistant', 'done').end('a'))
    expect(showTurns(summary.turns)).toEqual(['1 a complete 2 "one"'])
  })

  it('hold loose lines that follow them', async () => {
    const { summary, messages } = await turnsOf(
      new Rollout().says('developer', 'early').turn('a').says('assistant', 'loose').turn('b'),
    )
    expect(showTurns(summary.turns)).toEqual(['1 a complete 3 "prompt of a"', '2 b complete 2 "prompt of b"'])
    expect(messages.map(({ turnId, id }) => [turnId, id]).slice(0, 2)).toEqual([
      ['', 't0.1'],
      ['a', 'a.1'],
    ])
    expect(summary.messages).toBe(6)
  })

  it('get a name of their own when an id comes twice', async () => {
    const { summary } = await turnsOf(new Rollout().turn('a').turn('a').start('a'))
    expect(summary.turns.map(({ id }) => id)).toEqual(['a', 'a.again2', 'a.again3'])
  })

  it('are found by the prompt where the start line is lost', async () => {
    const typed = { content_item_kinds: ['user.text'], turn_id: 'b' }
    const rollout = new Rollout().turn('a').raw('{"timestamp":"x","type":"event_m').says('user', 'two', {
      internal_chat_message_metadata_passthrough: typed,
    })
    const { summary } = await turnsOf(rollout.says('assistant', 'done').end('b'))
    expect(showTurns(summary.turns)).toEqual(['1 a complete 2 "prompt of a"', '2 b complete 2 "two"'])
    expect(summary.skipped).toEqual({ invalid: 1 })
  })

  it('may be a thousand', async () => {
    const rollout = new Rollout()
    for (let number = 1; number <= 1000; number += 1) rollout.turn(`turn-${number}`)
    const { summary } = await turnsOf(rollout)
    expect(summary.turns).toHaveLength(1000)
    expect(summary.turns.at(-1)).toMatchObject({ number: 1000, id: 'turn-1000' })
  })

  it('keep their order when the clock goes back', async () => {
    const rollout = new Rollout().turn('a')
    rollout.raw(
      JSON.stringify({
        timestamp: '2020-01-01T00:00:00.000Z',
        ordinal: 90,
        type: 'event_msg',
        payload: { type: 'task_started', turn_id: 'b' },
      }),
    )
    const { summary } = await turnsOf(rollout)
    expect(summary.turns.map(({ id, startedAt }) => [id, startedAt])[1]).toEqual(['b', Date.parse('2020-01-01T00:00:00.000Z')])
    expect(summary.updatedAt).toBe(Date.parse('2026-11-15T06:47:41.004Z'))
  })
})

describe('turns of old files', () => {
  const legacy = () => new Rollout({}, { legacy: true })

  it('start with their prompt and are named by position', async () => {
    const { summary, messages } = await turnsOf(
      legacy()
        .says('user', '<environment_context>\n</environment_context>')
        .says('user', 'one')
        .event('user_message', { message: 'one' })
        .says('assistant', 'first')
        .says('user', 'two'),
    )
    expect(showTurns(summary.turns)).toEqual(['1 t1 complete 2 "one"', '2 t2 running 1 "two"'])
    expect(messages.map(({ id }) => id)).toEqual(['t0.1', 't1.1', 't1.2', 't2.1'])
  })

  it('take a prompt for one although it looks injected, when the event says so', async () => {
    const text = '<environment_context> what is this?'
    const { summary } = await turnsOf(legacy().start('a').says('user', text).event('user_message', { message: text }).end('a'))
    expect(showTurns(summary.turns)).toEqual([`1 a complete 1 "${text}"`])
  })

  it('are read from events where there are no response items', async () => {
    const { summary, messages } = await turnsOf(
      legacy()
        .event('user_message', { message: 'one' })
        .event('agent_message', { message: 'first' })
        .event('user_message', { message: 'two' })
        .event('agent_message', { message: 'second' }),
    )
    expect(showTurns(summary.turns)).toEqual(['1 t1 complete 2 "one"', '2 t2 complete 2 "two"'])
    expect(show(messages)).toEqual(['user: one', 'assistant: first', 'user: two', 'assistant: second'])
  })

  it('stay complete when the next run of Codex 0.87 writes its context in front of the next prompt', async () => {
    const { summary } = await turnsOf(
      legacy()
        .says('user', 'one')
        .says('assistant', 'first')
        .says('developer', '<permissions instructions>none</permissions instructions>')
        .says('user', '<environment_context>here</environment_context>')
        .says('user', 'two')
        .says('assistant', 'second')
        .says('developer', '<permissions instructions>none</permissions instructions>'),
    )
    expect(summary.turns.map(({ prompt, state }) => [prompt, state])).toEqual([
      ['one', 'complete'],
      ['two', 'complete'],
    ])
  })

  it('are interrupted when a call or the note of an interruption follows the last answer', async () => {
    const { summary } = await turnsOf(
      legacy()
        .says('user', 'one')
        .says('assistant', 'I will look')
        .item('function_call', { name: 'shell', arguments: '{}', call_id: 'c1' })
        .says('user', '<environment_context>here</environment_context>')
        .says('user', 'two')
        .says('assistant', 'I begin')
        .says('user', '<turn_aborted>by the user</turn_aborted>')
        .says('user', 'three')
        .says('assistant', 'third'),
    )
    expect(summary.turns.map(({ prompt, state }) => [prompt, state])).toEqual([
      ['one', 'interrupted'],
      ['two', 'interrupted'],
      ['three', 'complete'],
    ])
  })

  it('are read from bare lines, as the first versions wrote them', async () => {
    const env = newHome()
    const file = placeBare(env)
    const messages = [
      expect.stringMatching(/^system: <environment_context>/),
      'user: one',
      'tool apply_patch("a patch") -> patched',
      'assistant: first',
    ]
    expect(show(await readMessages(file, env))).toEqual(messages)
    const { cwd, skipped } = await codex.summarise(file, env)
    expect({ cwd, skipped }).toEqual({ cwd: '/repo', skipped: {} })
  })

  it('can be rolled back: the newest prompts go, with all behind them', async () => {
    const { env, file, summary, messages } = await turnsOf(
      legacy().turn('a').turn('b').start('c').end('c').turn('d').event('thread_rolled_back', { num_turns: 2 }).turn('e'),
    )
    expect(showTurns(summary.turns)).toEqual(['1 a complete 2 "prompt of a"', '2 e complete 2 "prompt of e"'])
    expect(summary.deadTurns.map(({ id, number }) => [id, number])).toEqual([
      ['b', null],
      ['c', null],
      ['d', null],
    ])
    expect(show(messages)).toEqual(['user: prompt of a', 'assistant: answer of a', 'user: prompt of e', 'assistant: answer of e'])
    const branch = await readAll(file, env, { upTo: { turnId: 'd' } })
    expect(branch.flatMap((entry) => (entry.kind === 'turn' ? [entry.turn.id] : []))).toEqual(['a', 'b', 'c', 'd'])
  })

  it('get the output of a call although another client wrote a turn in between', async () => {
    const rollout = legacy().start('a').prompt('one').item('function_call', { call_id: 'c', name: 'shell', arguments: '{}' })
    rollout.turn('b').item('function_call_output', { call_id: 'c', output: 'cut off' }).turn('d')
    const { env, file, summary, messages } = await turnsOf(rollout)
    expect(summary.skipped).toEqual({})
    expect(show(messages).slice(0, 3)).toEqual(['user: one', 'tool shell({}) -> cut off', 'user: prompt of b'])
    const first = await readMessages(file, env, { upTo: { turnId: 'a' } })
    expect(show(first)).toEqual(['user: one', 'tool shell({}) -> null'])
  })

  it('are rolled back beyond a compaction where steering counts: Codex then loses what it left', async () => {
    const kept = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'summary of a' }] }
    const compacted = () =>
      legacy()
        .turn('a')
        .start('b')
        .line('compacted', { message: '', replacement_history: [kept] })
        .end('b')
    const steered = compacted().start('c').prompt('two').prompt('no, three').says('assistant', 'done').end('c')
    const { env, file } = await turnsOf(steered.event('thread_rolled_back', { num_turns: 2 }))
    expect(show(await readMessages(file, env, { view: 'context' }))).toEqual([])
    expect(show(await readMessages(file, env, { view: 'context', upTo: { turnId: 'b' } }))).toEqual(['user: summary of a'])
    const plain = compacted().turn('c').turn('d').event('thread_rolled_back', { num_turns: 2 }).turn('e')
    const other = await turnsOf(plain)
    expect(show(await readMessages(other.file, other.env, { view: 'context' }))[0]).toBe('user: summary of a')
  })

  it('lose the note of an interruption when the turn behind it is rolled back', async () => {
    const note = '<turn_aborted>by the user</turn_aborted>'
    const rollout = legacy().turn('a').start('b').prompt('two').event('turn_aborted', { turn_id: 'b' }).says('user', note)
    const { env, file, summary, messages } = await turnsOf(
      rollout.turn('c').event('thread_rolled_back', { num_turns: 1 }).turn('d'),
    )
    const live = ['user: prompt of a', 'assistant: answer of a', 'user: two', 'user: prompt of d', 'assistant: answer of d']
    expect(show(messages)).toEqual(live)
    expect(show(await readMessages(file, env, { view: 'context' }))).toEqual(live)
    expect(showTurns(summary.turns)[1]).toBe('2 b interrupted 1 "two"')
    expect(summary.turns[1]?.lastMessageId).toBe(messages[2]?.id)
    const dead = await readMessages(file, env, { upTo: { turnId: 'c' } })
    expect(show(dead).slice(2)).toEqual(['user: two', `system: ${note}`, 'user: prompt of c', 'assistant: answer of c'])
  })

  it('leave what stood in front of the first prompt when all are rolled back', async () => {
    const { summary, messages } = await turnsOf(
      legacy()
        .start('a')
        .says('developer', 'rules')
        .prompt('one')
        .end('a')
        .event('thread_rolled_back', { num_turns: 9 })
        .turn('b'),
    )
    expect(show(messages)).toEqual(['system: rules', 'user: prompt of b', 'assistant: answer of b'])
    expect(messages[0]?.turnId).toBe('')
    expect(summary.messages).toBe(3)
  })
})
