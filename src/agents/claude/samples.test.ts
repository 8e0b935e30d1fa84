import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { gist, messagesIn, readEntries, sessionFile, summarise, turnsIn } from './lines.testkit.ts'

function sample(name: string) {
  return sessionFile(join(import.meta.dirname, 'samples', `${name}.jsonl`))
}

/** What people and the model said, without what the CLI put in. */
async function talk(name: string, options = {}): Promise<string[]> {
  const messages = messagesIn(await readEntries(sample(name), options))
  return gist(messages.filter(({ role }) => role !== 'system')).map((line) => line.slice(0, 60))
}

describe.each(['2.1.197', '2.1.325'])('files of %s', (version) => {
  const five = `print-5turns-tools-parallel-subagent-${version}`

  it('tells five turns with all tool calls', async () => {
    const { turns, model, cliVersion, title, titleFrom, parent, copied, inheritedTurns } = await summarise(sample(five))
    expect(turns.map(({ number, prompt, state }) => [number, prompt.slice(0, 5), state])).toEqual([
      [1, 'hello', 'complete'],
      [2, 'two [', 'complete'],
      [3, 'three', 'complete'],
      [4, 'four ', 'complete'],
      [5, 'five ', 'complete'],
    ])
    expect({ cliVersion, title, titleFrom, parent, copied, inheritedTurns }).toEqual({
      cliVersion: version,
      title: 'hello one',
      titleFrom: 'prompt',
      parent: null,
      copied: false,
      inheritedTurns: 0,
    })
    expect(model).toMatch(/^claude-opus/)
  })

  it('re-attaches the results of parallel tools', async () => {
    const tools = messagesIn(await readEntries(sample(five))).flatMap(({ tool }) => tool ?? [])
    expect(tools.map(({ name }) => name)).toEqual(['Write', 'Bash', 'Bash', 'Edit', 'Agent'])
    expect(tools.slice(1, 3)).toMatchObject([
      { arguments: { command: 'echo x1' }, output: 'x1', exitCode: 0 },
      { arguments: { command: 'echo x2' }, output: 'x2', exitCode: 0 },
    ])
    expect(tools.every(({ output }) => output)).toBe(true)
  })

  it('keeps thinking apart from text', async () => {
    const messages = messagesIn(await readEntries(sample(five)))
    const thought = messages.filter(({ thinking }) => thinking === 'mock thinking')
    expect(thought.length).toBeGreaterThan(2)
    expect(thought[0]?.text).toBe('MOCK calling edit')
  })

  it('counts tokens once per message, not once per line', async () => {
    const { usage } = await summarise(sample(five))
    const answers = messagesIn(await readEntries(sample(five))).filter(({ role }) => role === 'assistant')
    expect(usage.outputTokens).toBe(answers.length * 10)
  })

  it('sees that --fork-session copied older lines, and how many turns', async () => {
    const fork = await summarise(sample(`print-fork-session-${version}`))
    expect(fork).toMatchObject({ copied: true, parent: null, inheritedTurns: 5 })
    expect(fork.turns.map(({ prompt }) => prompt)).toHaveLength(6)
    expect(fork.usage.outputTokens).toBe(10)
    expect(fork.createdAt).toBeGreaterThan(fork.turns[4]?.endedAt ?? Number.POSITIVE_INFINITY)
  })

  it('reads the parent of an SDK fork by the names the parent uses', async () => {
    const fork = await summarise(sample(`sdk-forkSession-upTo-turn2-${version}`))
    const parent = await summarise(sample(five))
    expect(fork).toMatchObject({
      title: 'sdk-fork',
      titleFrom: 'custom',
      inheritedTurns: 2,
      parent: { kind: 'branch', turnNumber: 2, turnId: parent.turns[1]?.id, messageId: parent.turns[1]?.lastMessageId },
    })
    expect(fork.turns[1]?.id).not.toBe(parent.turns[1]?.id)
  })

  it('crosses a compaction, marks it, and knows what the model still has', async () => {
    const name = `interactive-branch-compact-${version}`
    const entries = await readEntries(sample(name))
    expect(entries.filter(({ kind }) => kind === 'compaction')).toHaveLength(1)
    expect(messagesIn(entries).filter(({ role }) => role === 'summary')).toHaveLength(1)
    const context = messagesIn(await readEntries(sample(name), { view: 'context' }))
    expect(context[0]?.role).toBe('summary')
    expect(context.filter(({ role }) => role === 'user')).toEqual([])
    expect(context.filter(({ role }) => role === 'assistant')).toHaveLength(1)
  })
})

describe('branches', () => {
  it('follows the branch the last prompt was on and keeps the other', async () => {
    const { turns, deadTurns } = await summarise(sample('branched-in-place-2.1.325'))
    expect(turns.map(({ prompt }) => prompt.split(' ')[0])).toEqual(['hello', 'two', 'rewound', 'follow'])
    expect(deadTurns.map(({ prompt, number }) => [prompt.split(' ')[0], number])).toEqual([
      ['three', null],
      ['four', null],
      ['five', null],
    ])
  })

  it('reads a dead branch by the id of its turn', async () => {
    const { deadTurns } = await summarise(sample('branched-in-place-2.1.325'))
    const turnId = deadTurns.at(-1)?.id ?? ''
    const entries = await readEntries(sample('branched-in-place-2.1.325'), { upTo: { turnId } })
    expect(turnsIn(entries).map(({ prompt, number }) => [prompt.split(' ')[0], number])).toEqual([
      ['hello', 1],
      ['two', 2],
      ['three', null],
      ['four', null],
      ['five', null],
    ])
  })

  it('follows an interactive rewind', async () => {
    const { turns, deadTurns, title } = await summarise(sample('interactive-rewound-2.1.325'))
    expect(turns.map(({ prompt }) => prompt.slice(0, 3))).toEqual(['I1 ', 'I2 ', 'I3b'])
    expect(deadTurns.map(({ prompt }) => prompt.slice(0, 3))).toEqual(['I3 '])
    expect(title).toBe('my-title')
  })

  it('reads the parent /branch recorded', async () => {
    const { parent, inheritedTurns, usage, turns } = await summarise(sample('interactive-branch-compact-2.1.325'))
    expect(parent).toMatchObject({ sessionId: '22546901-6ac6-4486-86e5-2e91d32b408a', turnNumber: 3, kind: 'branch' })
    expect(parent?.turnId).toBe(turns[2]?.id)
    expect(inheritedTurns).toBe(3)
    expect(usage.outputTokens).toBe(10)
  })
})

describe('lines that are no prompts', () => {
  it('takes hook feedback and notifications into the running turn', async () => {
    expect((await summarise(sample('stop-block-2.1.325'))).turns).toHaveLength(1)
    const { turns } = await summarise(sample('print-5turns-tools-parallel-subagent-2.1.325'))
    const notified = messagesIn(await readEntries(sample('print-5turns-tools-parallel-subagent-2.1.325'))).find(({ text }) =>
      text.startsWith('<task-notification>'),
    )
    expect(notified).toMatchObject({ role: 'system', turnId: turns[3]?.id })
  })

  it('orders a file whose lines stand before their parents', async () => {
    expect(await talk('interactive-2.1.197')).toEqual([
      'user: J1 hello',
      'assistant: MOCK turn=1 msgs=2 said=J1 hello',
      'user: J2 [[write:/home/dev/work/inter197/n.txt:v1]]',
      'assistant: MOCK calling write',
      expect.stringMatching(/^tool: toolu_\w+ -> File created successfully/),
      expect.stringMatching(/^assistant: MOCK turn=2/),
    ])
  })
})

describe('prompts typed while 2.1.33 worked', () => {
  const name = 'interactive-queued-2.1.33'
  const ofUser = async (view: 'all' | 'context') => (await talk(name, { view })).filter((line) => line.startsWith('user:'))
  const opened = (words: string) => `user: ${words} [[bash:until [ -e /home/dev/go`.slice(0, 22)

  it('are told where the model was shown them, unless they were taken back', async () => {
    const prompts = await ofUser('all')
    expect(prompts.map((line) => line.slice(0, 22))).toEqual([
      opened('work A'),
      'user: queued alpha',
      'user: queued beta',
      opened('work B'),
      'user: work C [[slow:50',
      'user: delta at end',
      opened('work D'),
      'user: closing words',
    ])
    const { turns } = await summarise(sample(name))
    expect(turns.map(({ messages }) => messages)).toEqual([6, 4, 2, 2, 4, 5])
  })

  it('are not in the next request, as 2.1.33 and 2.1.325 resume the file', async () => {
    expect((await ofUser('context')).filter((line) => line.includes('queued'))).toEqual([])
  })
})

describe('the lead of an agent team of 2.1.63', () => {
  it('has the turns its user began, with what teammates reported in them', async () => {
    const { turns, title } = await summarise(sample('team-lead-2.1.63'))
    expect(turns).toMatchObject([{ messages: 8, state: 'complete' }])
    expect(title).toMatch(/^make a team/)
    expect((await talk('team-lead-2.1.63')).filter((line) => line.startsWith('user:'))).toHaveLength(1)
  })
})
