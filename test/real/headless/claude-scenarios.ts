// What a headless conversation with the real Claude Code must hold to, one scenario each; run on every version by the matrix.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { claude } from '../../../src/agents/claude/index.ts'
import type { Conversation } from '../../../src/agents/runs.ts'
import type { RunEvent } from '../../../src/model/run.ts'
import { claudeRules, fromMessages } from '../claude/received.ts'
import { type ClaudeVersion, claudeVersions } from '../lib/agents.ts'
import { compareHistory, type SeenItem } from '../lib/history.ts'
import type { Planned } from '../lib/matrix.ts'
import { waitUntil } from '../lib/wait.ts'
import { type HeadlessBench, listen, ofKind } from './claude-bench.ts'

export interface HeadlessScenario extends Planned<ClaudeVersion> {
  run(bench: HeadlessBench): Promise<void>
}

const complete = { kind: 'end', outcome: 'complete', error: null }

const said = (prompt: string): SeenItem[] => [
  { role: 'user', text: prompt },
  { role: 'assistant', text: `Answer to: ${prompt}` },
]

/** The history the model was sent with this prompt. */
async function expectHistory(bench: HeadlessBench, prompt: string, items: readonly SeenItem[], sessionId: string): Promise<void> {
  const request = await bench.api.waitForPrompt(prompt)
  expect(request.sessionId).toBe(sessionId)
  const { diff } = compareHistory(items, fromMessages(request.messages), claudeRules)
  expect(diff).toBe('')
}

async function turnsOf(bench: HeadlessBench, sessionId: string) {
  const file = [...claude.discover(bench.env)].find((one) => one.id === sessionId)
  if (file === undefined) throw new Error(`no session ${sessionId}`)
  return (await claude.summarise(file, bench.env)).turns
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

const last = (events: readonly RunEvent[]) => events.at(-1)

const startsResumesForks: HeadlessScenario = {
  name: 'starts, goes on, resumes, forks',
  always: ['2.1.325'],
  async run(bench) {
    const first = await bench.open(undefined, { title: '-a title; of $(x)' })
    const { sessionId } = first
    const one = await listen(first, 'first')
    expect(one[0]).toMatchObject({ kind: 'started', sessionId, model: expect.stringContaining('claude') })
    expect(
      ofKind(one, 'text')
        .map(({ delta }) => delta)
        .join(''),
    ).toBe('Answer to: first')
    expect(ofKind(one, 'message').map(({ text }) => text)).toEqual(['Answer to: first'])
    expect(ofKind(one, 'usage')).toEqual([
      { kind: 'usage', usage: { inputTokens: bench.api.requests[0]?.inputTokens, cachedInputTokens: 0, outputTokens: 10 } },
    ])
    expect(last(one)).toEqual(complete)
    // The end means that the turn can be read, under the ids the events gave.
    expect(await turnsOf(bench, sessionId)).toMatchObject([
      { id: one[0]?.kind === 'started' && one[0].turnId, state: 'complete' },
    ])
    const answer = bench.lines(sessionId).find(({ uuid }) => uuid === ofKind(one, 'message')[0]?.messageId)
    expect(answer).toMatchObject({ type: 'assistant' })

    expect(last(await listen(first, 'second'))).toEqual(complete)
    await expectHistory(bench, 'second', [...said('first'), { role: 'user', text: 'second' }], sessionId)
    expect(claude.live(bench.env).map((live) => live.sessionId)).toContain(sessionId)
    const { pid } = first
    await first.close()
    expect(await first.ended).toEqual({ status: 0, signal: null, error: null })
    expect(isAlive(pid ?? 0)).toBe(false)

    const again = await bench.open({ kind: 'resume', sessionId })
    expect(last(await listen(again, 'third'))).toEqual(complete)
    await expectHistory(bench, 'third', [...said('first'), ...said('second'), { role: 'user', text: 'third' }], sessionId)

    const parent = readFileSync(bench.transcript(sessionId))
    const child = '0199f3a2-1111-4222-8333-444455556666'
    const fork = await bench.open({ kind: 'fork', sourceId: sessionId, sessionId: child })
    expect(last(await listen(fork, 'fourth'))).toEqual(complete)
    const upToThird = [...said('first'), ...said('second'), ...said('third')]
    await expectHistory(bench, 'fourth', [...upToThird, { role: 'user', text: 'fourth' }], child)
    expect((await turnsOf(bench, child)).map(({ prompt }) => prompt)).toEqual(['first', 'second', 'third', 'fourth'])
    expect(readFileSync(bench.transcript(sessionId)).equals(parent)).toBe(true)
    // Both go on, side by side.
    const [a, b] = await Promise.all([listen(again, 'fifth of the parent [[slow:400]]'), listen(fork, 'fifth of the child')])
    expect([last(a), last(b)]).toEqual([complete, complete])
    expect(ofKind(a, 'message').map(({ text }) => text)).toEqual(['Answer to: fifth of the parent [[slow:400]]'])
    expect(ofKind(b, 'message').map(({ text }) => text)).toEqual(['Answer to: fifth of the child'])
  },
}

const literalPrompts: HeadlessScenario = {
  name: 'prompts are text',
  always: ['2.1.197'],
  async run(bench) {
    const conversation = await bench.open()
    const long = `long ${'0123456789'.repeat(10_240)} end`
    const prompts = [
      '--resume=x -p',
      '-',
      '!touch by-bang',
      '# a note',
      'exit',
      '"}\n{"type":"user"}',
      'ünïcode 🦊 \u0007\u001b[31m 日本',
      long,
    ]
    for (const prompt of prompts) {
      expect(last(await listen(conversation, prompt)), prompt.slice(0, 40)).toEqual(complete)
      expect(userText(bench, prompt.slice(0, 30))).toBe(prompt)
    }
    // A blank goes before a slash, else it would be a command: nothing that keeps the text alone disarms it.
    for (const prompt of ['/cost', '/nonesuch thing', '/clear', '/compact']) {
      expect(last(await listen(conversation, prompt)), prompt).toEqual(complete)
      expect(userText(bench, ` ${prompt}`)).toBe(` ${prompt}`)
    }
    expect(existsSync(bench.file('by-bang'))).toBe(false)
    expect((await turnsOf(bench, conversation.sessionId)).map(({ state }) => state)).toEqual(Array(12).fill('complete'))
    expect(() => conversation.send(' \n')).toThrow(/empty/)
  },
}

/** The last text of a person that the model was sent which begins so. */
function userText(bench: HeadlessBench, start: string): string | undefined {
  const messages = bench.api.requests.filter(({ kind }) => kind === 'turn').at(-1)?.messages ?? []
  const texts = messages
    .filter(({ role }) => role === 'user')
    .flatMap(({ content }) =>
      typeof content === 'string' ? [content] : content.flatMap((block) => ('text' in block ? [block.text] : [])),
    )
  return texts.findLast((text) => text.startsWith(start))
}

const permissions: HeadlessScenario = {
  name: 'permissions are asked for',
  always: ['2.1.197'],
  async run(bench) {
    const conversation = await bench.open()
    const touch = (name: string) => `please [[bash:touch ${name}]]`

    const allowed = await listen(conversation, touch('allowed'), () => ({ verdict: 'allow' }))
    const [asked] = ofKind(allowed, 'permission')
    expect(asked?.request).toMatchObject({ tool: 'Bash', kind: 'command', summary: 'touch allowed', canRemember: true })
    expect(ofKind(allowed, 'tool_call')).toMatchObject([{ callId: asked?.request.callId, tool: 'Bash' }])
    expect(ofKind(allowed, 'tool_result')).toMatchObject([{ callId: asked?.request.callId, exitCode: 0, failed: false }])
    expect(ofKind(allowed, 'permission_resolved')).toMatchObject([{ requestId: asked?.request.id, verdict: 'allow' }])
    expect(existsSync(bench.file('allowed'))).toBe(true)
    await expect(conversation.answer(asked?.request.id ?? '', { verdict: 'allow' })).rejects.toMatchObject({
      code: 'permission_not_found',
    })

    const denied = await listen(conversation, touch('denied'), () => ({ verdict: 'deny', reason: 'not that one' }))
    expect(ofKind(denied, 'tool_result')).toMatchObject([{ failed: true, output: expect.stringContaining('not that one') }])
    expect(last(denied)).toEqual(complete)
    expect(existsSync(bench.file('denied'))).toBe(false)

    const session = await listen(conversation, touch('session'), () => ({ verdict: 'allow_session' }))
    expect(ofKind(session, 'permission_resolved')).toMatchObject([{ verdict: 'allow_session' }])
    const after = await listen(conversation, touch('session'))
    expect(ofKind(after, 'permission')).toEqual([])
    expect(ofKind(after, 'tool_result')).toMatchObject([{ exitCode: 0 }])
    expect(existsSync(bench.file('.claude/settings.local.json'))).toBe(false)
    expect(bench.sandbox.git(bench.sandbox.work, 'status', '--porcelain').split('\n').filter(Boolean)).toHaveLength(2)

    const aborted = await listen(conversation, touch('aborted'), () => ({ verdict: 'abort' }))
    expect(last(aborted)).toEqual({ kind: 'end', outcome: 'interrupted', error: null })
    expect(existsSync(bench.file('aborted'))).toBe(false)

    const question = await listen(conversation, 'choose [[ask:Which one?:A|B]]', () => ({
      verdict: 'allow',
      answers: { 'Which one?': 'B' },
    }))
    expect(ofKind(question, 'permission')[0]?.request).toMatchObject({
      kind: 'question',
      summary: 'Which one?',
      canRemember: false,
    })
    expect(ofKind(question, 'tool_result')).toMatchObject([{ output: expect.stringContaining('"Which one?"="B"') }])
    expect(last(question)).toEqual(complete)

    const several = await listen(conversation, 'choose [[choose:Which ones?:A|B|C]]', () => ({
      verdict: 'allow',
      answers: { 'Which ones?': 'A, C' },
    }))
    expect(ofKind(several, 'permission')[0]?.request).toMatchObject({ questions: [{ isMultiple: true }] })
    expect(ofKind(several, 'tool_result')).toMatchObject([{ output: expect.stringContaining('"Which ones?"="A, C"') }])

    const write = await listen(conversation, `[[write:${bench.file('new.txt')}:text]]`, () => ({ verdict: 'deny' }))
    expect(ofKind(write, 'permission')[0]?.request).toMatchObject({ tool: 'Write', kind: 'edit', summary: bench.file('new.txt') })

    const parallel = await listen(conversation, '[[parallel:touch p1|touch p2]]', () => ({ verdict: 'allow' }))
    expect(ofKind(parallel, 'permission')).toHaveLength(2)
    expect(ofKind(parallel, 'tool_result').map(({ exitCode }) => exitCode)).toEqual([0, 0])
  },
}

const settingsGoAlong: HeadlessScenario = {
  name: 'settings go along',
  always: ['2.1.325'],
  async run(bench) {
    const mcp = join(bench.sandbox.root, 'mcp.json')
    writeFileSync(mcp, JSON.stringify({ mcpServers: { broken: { command: join(bench.sandbox.root, 'nothing-here') } } }))
    const conversation = await bench.open(undefined, {
      policy: 'accept_edits',
      model: 'claude-sonnet-4-5',
      env: { WORKER_MARK: 'a b;$(x)', CLAUDE_CODE_SESSION_ID: 'given' },
      mcpConfig: mcp,
      flags: ['--allowedTools=Bash(env)'],
    })
    const edited = await listen(conversation, `[[write:${bench.file('new.txt')}:text]]`)
    expect(ofKind(edited, 'permission')).toEqual([])
    expect(readFileSync(bench.file('new.txt'), 'utf8')).toBe('text')
    expect(edited[0]).toMatchObject({ model: 'claude-sonnet-4-5' })
    expect(ofKind(edited, 'notice').map(({ text }) => text)).toContain('MCP server broken: failed')
    const [shown] = ofKind(await listen(conversation, '[[bash:env]]'), 'tool_result')
    const lines = shown?.output.split('\n') ?? []
    expect(lines).toContain('WORKER_MARK=a b;$(x)')
    expect(lines.some((line) => line.startsWith('OFFSHOOT_INTERNAL'))).toBe(false)
    expect(lines).not.toContain('CLAUDE_CODE_SESSION_ID=of-an-outer-one')
    const argv = readFileSync(`/proc/${conversation.pid}/cmdline`, 'utf8')
    expect(argv).not.toContain('a b;$(x)')
  },
}

const interrupts: HeadlessScenario = {
  name: 'interrupts',
  always: claudeVersions,
  async run(bench) {
    const conversation = await bench.open()
    await conversation.interrupt() // nothing runs: nothing happens
    const interruptAt = (kind: RunEvent['kind']) => (event: RunEvent) => {
      if (event.kind === kind) void conversation.interrupt()
    }
    const interrupted = { kind: 'end', outcome: 'interrupted', error: null }
    const text = await listen(conversation, 'mid text [[stall]]', undefined, interruptAt('text'))
    expect(ofKind(text, 'message')).toMatchObject([{ text: 'Answer to: mid text [[stall]]' }])
    expect(last(text)).toEqual(interrupted)
    expect((await turnsOf(bench, conversation.sessionId)).map(({ state }) => state)).toEqual(['interrupted'])

    const asked = await listen(conversation, 'while asked [[bash:touch x]]', undefined, interruptAt('permission'))
    expect(ofKind(asked, 'permission_resolved')).toMatchObject([{ verdict: null }])
    expect(last(asked)).toEqual(interrupted)

    const running = listen(conversation, `mid tool [[bash:${busyCommand(bench)}]]`, () => ({ verdict: 'allow' }))
    const child = await childOf(bench)
    await conversation.interrupt()
    expect(last(await running)).toEqual(interrupted)
    await waitUntil('the command to be gone', () => !isAlive(child))

    // At once, before the prompt can have been taken; and by a signal; and by not listening any more.
    const early = listen(conversation, 'early [[hang]]')
    await conversation.interrupt()
    expect(last(await early)).toEqual(interrupted)
    const signal = AbortSignal.timeout(50)
    const events: RunEvent[] = []
    for await (const event of conversation.send('by signal [[hang]]', { signal })) events.push(event)
    expect(last(events)).toEqual(interrupted)
    for await (const event of conversation.send('left [[stall]]')) if (event.kind === 'text') break
    await waitUntil('the left turn to end', () => sendOrBusy(conversation, 'after all that'))
    await expectEnded(bench, conversation)
  },
}

/** Runs until it is ended, and leaves its process id. (2.1.325 refuses a plain `sleep 300`.) */
function busyCommand(bench: HeadlessBench): string {
  return `echo $$ > ${bench.file('child.pid')}; while true; do sleep 1; done`
}

function childOf(bench: HeadlessBench): Promise<number> {
  return waitUntil('the command to run', () => {
    const file = bench.file('child.pid')
    return existsSync(file) ? Number(readFileSync(file, 'utf8')) || undefined : undefined
  })
}

async function sendOrBusy(conversation: Conversation, prompt: string): Promise<boolean> {
  try {
    const events = await listen(conversation, prompt)
    expect(last(events)).toEqual(complete)
    return true
  } catch (error) {
    expect(error).toMatchObject({ code: 'busy' })
    return false
  }
}

async function expectEnded(bench: HeadlessBench, conversation: Conversation): Promise<void> {
  const { sessionId } = conversation
  await conversation.close()
  expect(isAlive(conversation.pid ?? 0)).toBe(false)
  expect(claude.live(bench.env).map((live) => live.sessionId)).not.toContain(sessionId)
  expect(() => conversation.send('too late')).toThrow(/ended/)
}

const faults: HeadlessScenario = {
  name: 'faults end a turn in words',
  always: ['2.1.325'],
  async run(bench) {
    const conversation = await bench.open()
    const { sessionId } = conversation
    const refused = await listen(conversation, 'refused [[error:400]]')
    expect(last(refused)).toMatchObject({ outcome: 'failed', error: expect.stringContaining('The stand-in was asked to fail') })
    expect(ofKind(refused, 'message')).toEqual([])
    const busy = listen(conversation, 'goes on [[slow:300]]')
    expect(() => conversation.send('meanwhile')).toThrow(expect.objectContaining({ code: 'busy' }))
    expect(last(await busy)).toEqual(complete)

    const killed = listen(conversation, 'killed [[hang]]')
    await bench.api.waitForPrompt('killed')
    process.kill(conversation.pid ?? 0, 'SIGKILL')
    expect(last(await killed)).toEqual({ kind: 'end', outcome: 'failed', error: 'Claude Code ended by SIGKILL.' })
    expect(await conversation.ended).toEqual({ status: null, signal: 'SIGKILL', error: 'Claude Code ended by SIGKILL.' })
    expect(() => conversation.send('too late')).toThrow(expect.objectContaining({ code: 'worker_ended' }))
    await conversation.close()
    const again = await bench.open({ kind: 'resume', sessionId })
    expect(last(await listen(again, 'after the crash'))).toEqual(complete)

    const closing = listen(again, `closed [[bash:${busyCommand(bench)}]]`, () => ({ verdict: 'allow' }))
    const child = await childOf(bench)
    await again.close()
    expect(last(await closing)).toEqual({ kind: 'end', outcome: 'interrupted', error: null })
    await waitUntil('the command to be gone', () => !isAlive(child))

    const unknown = bench.open({ kind: 'resume', sessionId: '0199f3a2-dead-4222-8333-444455556666' })
    await expect(unknown).rejects.toThrow(/No conversation found/)
    await expect(bench.open({ kind: 'start', sessionId })).rejects.toThrow(/already in use/)
  },
}

const subagents: HeadlessScenario = {
  name: 'subagents belong to the turn',
  always: ['2.1.325'],
  async run(bench) {
    const conversation = await bench.open()
    const events = await listen(conversation, 'delegate [[task:a small job <<slow:700>>]]')
    expect(ofKind(events, 'tool_call').map(({ tool }) => tool)).toEqual(['Agent'])
    expect(
      ofKind(events, 'text')
        .map(({ delta }) => delta)
        .join(),
    ).not.toContain('Answer to: a small job')
    expect(ofKind(events, 'end')).toEqual([complete])
    // 2.1.325 runs it in the background and goes on by itself when it is done: that is still the same turn.
    const rounds = bench.api.requests.filter(
      ({ kind, messages }) => kind === 'turn' && JSON.stringify(messages).includes('delegate'),
    )
    expect(rounds.length).toBe(bench.version === '2.1.325' ? 3 : 2)
    expect(ofKind(events, 'message')).toHaveLength(rounds.length)

    const isWaiting = (event: RunEvent) => event.kind === 'notice' || (event.kind === 'tool_call' && bench.version === '2.1.197')
    const never = await listen(conversation, 'delegate again [[task:a job without end <<hang>>]]', undefined, (event) => {
      if (isWaiting(event)) void conversation.interrupt()
    })
    expect(last(never)).toEqual({ kind: 'end', outcome: 'interrupted', error: null })
    expect(last(await listen(conversation, 'and then'))).toEqual(complete)
    const prompts = (await turnsOf(bench, conversation.sessionId)).map(({ prompt }) => prompt.slice(0, 14))
    expect(prompts).toEqual(['delegate [[tas', 'delegate again', 'and then'])
  },
}

const inTheBackground: HeadlessScenario = {
  name: 'commands in the background',
  always: ['2.1.197'],
  async run(bench) {
    const conversation = await bench.open(undefined, { flags: ['--allowedTools=Bash'] })
    const started = await listen(conversation, `leave it running [[background:${busyCommand(bench)}]]`)
    expect(ofKind(started, 'tool_result')).toMatchObject([{ exitCode: null, failed: false }])
    expect(last(started)).toEqual(complete)
    // One that is done makes the CLI begin a turn by itself, just when the next prompt is sent: each gets its own answer.
    for (const name of ['one', 'two', 'three']) {
      expect(last(await listen(conversation, `quick ${name} [[background:sleep 0.1; echo done]]`))).toEqual(complete)
      const next = await listen(conversation, `behind ${name}`)
      expect(ofKind(next, 'message').map(({ text }) => text)).toEqual([`Answer to: behind ${name}`])
      expect(ofKind(next, 'end')).toEqual([complete])
    }
    const child = await childOf(bench)
    expect(isAlive(child)).toBe(true)
    await expectEnded(bench, conversation)
    await waitUntil('the command to be gone', () => !isAlive(child))
  },
}

const stoppedByHook: HeadlessScenario = {
  name: 'a prompt that a hook stops',
  always: ['2.1.325'],
  async run(bench) {
    const command = "grep -q forbidden && { echo 'no way' >&2; exit 2; }; exit 0"
    const hooks = { UserPromptSubmit: [{ hooks: [{ type: 'command', command }] }] }
    const conversation = await bench.open(undefined, { flags: [`--settings=${JSON.stringify({ hooks })}`] })
    expect(last(await listen(conversation, 'forbidden'))).toMatchObject({
      outcome: 'failed',
      error: expect.stringContaining('no way'),
    })
    expect(last(await listen(conversation, 'fine'))).toEqual(complete)
  },
}

export const headlessScenarios: readonly HeadlessScenario[] = [
  startsResumesForks,
  literalPrompts,
  permissions,
  settingsGoAlong,
  interrupts,
  faults,
  subagents,
  inTheBackground,
  stoppedByHook,
]
