import { describe, expect, it } from 'vitest'
import { findSession, placeSample, Rollout, readAll, readMessages, show, useHomes } from './home.testkit.ts'

const newHome = useHomes()

const user = (text: string, kind = 'user.text') => ({
  type: 'message',
  role: 'user',
  id: `msg_${text}`,
  content: [{ type: 'input_text', text }],
  internal_chat_message_metadata_passthrough: { content_item_kinds: [kind] },
})

describe('what the model is sent next', () => {
  it('is all of it, without what only we are told', async () => {
    const env = newHome()
    const file = findSession(env, placeSample(env.home, '16-failed-turn.jsonl'))
    const all = await readMessages(file, env)
    expect(await readMessages(file, env, { view: 'context' })).toEqual(all.filter(({ role }) => role !== 'error'))
  })

  it('is what a compaction put in place, and what came later', async () => {
    const env = newHome()
    const path = placeSample(env.home, '09-tui-interrupt-compact.jsonl')
    const context = await readAll(findSession(env, path), env, { view: 'context' })
    expect(context.slice(0, 2).map(({ kind }) => kind)).toEqual(['turn', 'compaction'])
    const messages = context.flatMap((entry) => (entry.kind === 'message' ? [entry.message] : []))
    expect(show(messages).map((line) => line.slice(0, 24))).toEqual([
      'user: tui hook turn A',
      'user: slow turn B [[slee',
      'system: <skills_instruct',
      'system: # AGENTS.md inst',
      'user: third turn C',
      'summary: Another languag',
    ])
    const all = await readAll(findSession(env, path), env)
    const summary = all.flatMap((entry) =>
      entry.kind === 'message' && entry.message.role === 'summary' ? [entry.message.id] : [],
    )
    expect(summary).toEqual([messages.at(-1)?.id])
    expect(all.filter(({ kind }) => kind === 'compaction')).toHaveLength(1)
  })

  it('is uncompacted up to a turn before the compaction', async () => {
    const env = newHome()
    const rollout = new Rollout().turn('a').start('b')
    rollout.line('compacted', {
      message: 'in short',
      replacement_history: [user('kept'), user('in short', 'compaction.summary')],
    })
    const file = rollout.prompt('go on').end('b').turn('c').place(env)
    const context = async (turnId: string) => show(await readMessages(file, env, { view: 'context', upTo: { turnId } }))
    expect(await context('a')).toEqual(['user: prompt of a', 'assistant: answer of a'])
    expect(await context('b')).toEqual(['user: kept', 'summary: in short', 'user: go on'])
    expect(await context('c')).toEqual([
      'user: kept',
      'summary: in short',
      'user: go on',
      'user: prompt of c',
      'assistant: answer of c',
    ])
    const entries = await readAll(file, env)
    const turns = entries.flatMap((entry) => (entry.kind === 'turn' ? [entry.turn] : []))
    expect(turns.map(({ id, afterCompaction }) => [id, afterCompaction])).toEqual([
      ['a', false],
      ['b', false],
      ['c', true],
    ])
  })

  it('is rebuilt from the prompts where an old file kept only the summary', async () => {
    const env = newHome()
    const file = new Rollout({}, { legacy: true })
      .turn('a')
      .turn('b')
      .line('compacted', { message: 'in short' })
      .turn('c')
      .place(env)
    expect(show(await readMessages(file, env, { view: 'context' }))).toEqual([
      'user: prompt of a',
      'user: prompt of b',
      'summary: in short',
      'user: prompt of c',
      'assistant: answer of c',
    ])
  })

  it('has nothing from before a compaction that was rolled back, as Codex itself has not', async () => {
    const env = newHome()
    const file = new Rollout({}, { legacy: true })
      .turn('a')
      .start('b')
      .prompt('two')
      .line('compacted', { message: 'in short', replacement_history: [user('kept')] })
      .end('b')
      .event('thread_rolled_back', { num_turns: 1 })
      .turn('c')
      .place(env)
    const after = ['user: prompt of c', 'assistant: answer of c']
    expect(show(await readMessages(file, env, { view: 'context' }))).toEqual(after)
    const first = ['user: prompt of a', 'assistant: answer of a']
    expect(show(await readMessages(file, env, { view: 'context', upTo: { turnId: 'a' } }))).toEqual(first)
  })

  it('knows calls and an encrypted summary in what was put in place', async () => {
    const env = newHome()
    const replacement_history = [
      { type: 'function_call', call_id: 'one', name: 'f', arguments: '{}' },
      { type: 'function_call_output', call_id: 'one', output: 'out' },
      { type: 'compaction', encrypted_content: 'SECRET' },
    ]
    const file = new Rollout().start('a').line('compacted', { message: '', replacement_history }).end('a').place(env)
    expect(show(await readMessages(file, env, { view: 'context' }))).toEqual(['tool f({}) -> out', 'summary: '])
    expect(await readMessages(file, env)).toEqual([])
  })
})
