// The command line beside a running server of the same home: workers whose turns run in the server are sent to, interrupted,
// answered and stopped through it, and shown as they are.
import { execFile } from 'node:child_process'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { App } from '../../src/app.ts'
import { answerWorker, type GivenAnswer } from '../../src/cli/commands/answer.ts'
import { interruptWorker } from '../../src/cli/commands/interrupt.ts'
import { sendPrompt } from '../../src/cli/commands/send.ts'
import { listWorkers } from '../../src/cli/commands/workers.ts'
import { recordContext } from '../../src/cli/test-output.testkit.ts'
import { createLog } from '../../src/lib/log.ts'
import { reachServer } from '../../src/server/reach-holder.ts'
import { type Serving, startServing } from '../../src/server/serve.ts'
import { createSandbox, type Sandbox } from '../fork/sandbox.ts'
import { talkingAgent } from './talking-agent.ts'

let sandbox: Sandbox
let repo: string
let app: App
let serving: Serving

beforeAll(async () => {
  sandbox = createSandbox()
  repo = sandbox.repository('project')
  app = sandbox.app({ agents: [talkingAgent] })
  serving = await serve()
  for (const name of ['one', 'two', 'three', 'four']) await spawn(name)
})
afterAll(async () => {
  await serving.stop()
  sandbox.close()
})

function serve(): Promise<Serving> {
  const folder = sandbox.offshootHome
  const log = createLog({ folder: join(folder, 'logs'), now: Date.now })
  const vars = { HOME: sandbox.home, OFFSHOOT_HOME: folder }
  const place = { home: sandbox.home, vars, folder, logs: join(folder, 'logs'), roots: [repo] }
  return startServing({ app, ...place, host: '127.0.0.1', port: 0, version: '1', log, now: Date.now })
}

const spawn = (name: string) => app.spawnWorker({ agent: 'claude', kind: 'headless', projectPath: repo, workspace: false, name })

/** The command line as a person uses it, with an app of its own. */
function openCli() {
  return recordContext({ home: sandbox.home, vars: { HOME: sandbox.home, OFFSHOOT_HOME: sandbox.offshootHome } })
}

/** The same in a process of its own: what it printed. */
function runCli(...words: readonly string[]): Promise<string> {
  const program = new URL('./cli-child.ts', import.meta.url).pathname
  const env = { PATH: process.env.PATH ?? '', HOME: sandbox.home, OFFSHOOT_HOME: sandbox.offshootHome }
  const args = ['--import', import.meta.resolve('tsx'), program, ...words]
  return new Promise((resolve, reject) =>
    execFile(process.execPath, args, { cwd: repo, env }, (error, text) => (error ? reject(error) : resolve(text))),
  )
}

async function shownOf(name: string): Promise<string> {
  const cli = openCli()
  await listWorkers(cli.context, {})
  cli.context.close()
  return (
    cli
      .stdout()
      .split('\n')
      .find((line) => line.startsWith(name)) ?? ''
  )
}

const stateOf = async (name: string) => (await app.findWorker(name)).state

test('send: the answer of a worker the server holds comes as if it ran here', async () => {
  const cli = openCli()
  expect(await sendPrompt(cli.context, 'one', 'hello; -x', { wait: true })).toBe(0)
  cli.context.close()
  expect(cli.stdout()).toBe('Answer to: hello; -x\n')
  expect(await stateOf('one')).toBe('idle') // the server has it still
})

test('send --no-wait leaves the turn to the server; workers shows it, interrupt ends it', async () => {
  const cli = openCli()
  expect(await sendPrompt(cli.context, 'two', 'hang', { wait: false })).toBe(0)
  expect(cli.stderr()).toContain('at work in the server')
  cli.context.close()
  expect(await shownOf('two')).toMatch(/running$/)
  const busy = openCli()
  await expect(sendPrompt(busy.context, 'two', 'more', { wait: true })).rejects.toMatchObject({ code: 'worker_busy', exit: 4 })
  await interruptWorker(busy.context, 'two', {})
  await expect.poll(() => stateOf('two')).toBe('idle')
  busy.context.close()
})

test('send --timeout gives up waiting for a turn in the server; the turn goes on there', async () => {
  const cli = openCli()
  await expect(sendPrompt(cli.context, 'two', 'hang', { wait: true, timeout: 0.05 })).rejects.toMatchObject({
    code: 'timed_out',
    message: '"two" has not answered within 0.05 s: it goes on.',
  })
  expect(await stateOf('two')).toBe('running')
  await interruptWorker(cli.context, 'two', {})
  await expect.poll(() => stateOf('two')).toBe('idle')
  cli.context.close()
})

test('Ctrl-C in send ends the turn that runs in the server', async () => {
  const cli = openCli()
  const sent = sendPrompt(cli.context, 'two', 'hang', { wait: true })
  await expect.poll(() => stateOf('two')).toBe('running')
  expect(cli.context.passSignal('SIGINT')).toBe(true)
  expect(await sent).toBe(130)
  cli.context.close()
})

test('a question asked in the server is shown, guards against prompts, and is answered from here', async () => {
  const first = openCli()
  await sendPrompt(first.context, 'three', 'ask', { wait: false })
  await expect.poll(() => stateOf('three')).toBe('waiting')
  expect(await shownOf('three')).toMatch(/waiting: Bash: touch x$/)
  await expect(sendPrompt(first.context, 'three', 'yes', { wait: true })).rejects.toMatchObject({
    code: 'worker_waiting',
    hint: expect.stringContaining('offshoot answer three'),
  })
  const heard: string[] = []
  const stop = app.onEvent(({ type, data }) => {
    if (type === 'message.delta') heard.push(JSON.stringify(data.event))
  })
  await answerWorker(first.context, 'three', 'deny', { reason: '$(not here)' })
  await expect.poll(() => stateOf('three')).toBe('idle')
  stop()
  expect(heard.join()).toContain('deny $(not here)')
  await expect(answerWorker(first.context, 'three', 'allow', {})).rejects.toMatchObject({ code: 'permission_not_found' })
  first.context.close()
})

test('questions asked in the server are answered from here, each with an option or in words', async () => {
  const cli = openCli()
  const answer = (answers: readonly GivenAnswer[], verdict?: 'allow' | 'deny') =>
    answerWorker(cli.context, 'three', verdict, { answers, json: true })
  const refused = (...given: Parameters<typeof answer>) => answer(...given).catch((error: unknown) => error)
  await sendPrompt(cli.context, 'three', 'question', { wait: false })
  await expect.poll(() => stateOf('three')).toBe('waiting')
  const choose = (text: string) => ({ kind: 'choose', text }) as const
  const why = { kind: 'text', text: '--because; $(x)' } as const
  const usage = (message: unknown) =>
    expect.objectContaining({ code: 'usage', message: expect.stringContaining(String(message)) })
  expect(await refused([choose('Blu'), why])).toEqual(usage('Did you mean "Blue"?'))
  expect(await refused([choose('Blue')])).toEqual(usage('One question has no answer: And why?'))
  expect(await refused([choose('Blue'), why, why])).toEqual(usage('3 answers for 2 questions'))
  expect(await refused([], 'allow')).toEqual(usage('2 questions have no answer'))
  expect(await refused([why], 'deny')).toEqual(usage('not both'))
  expect(await refused([])).toMatchObject({ hint: expect.stringContaining('offshoot answer three --choose "..." --text "..."') })
  await expect(app.answerPermission('three', 'q-1', { verdict: 'allow' })).rejects.toMatchObject({ code: 'usage' })
  expect(await stateOf('three')).toBe('waiting')
  const heard: string[] = []
  const stop = app.onEvent(({ type, data }) => {
    if (type === 'message.delta' && data.event.kind === 'message') heard.push(data.event.text)
  })
  expect(await runCli('answer', 'three', '--choose', '2', '--text', why.text)).toMatch(/^three: /)
  await expect.poll(() => heard).toEqual([JSON.stringify({ 'Which one?': 'Green', why: '--because; $(x)' })])
  stop()
  cli.context.close()
})

test('where nobody can be asked, a question of a turn sent from here is refused through the server', async () => {
  const cli = openCli()
  expect(await sendPrompt(cli.context, 'three', 'ask', { wait: true })).toBe(0)
  cli.context.close()
  expect(cli.stderr()).toContain('Nobody can be asked here: refused')
  expect(cli.stdout()).toContain('deny Nobody is there')
})

test('stop: ends a worker in the middle of its turn, from another process', async () => {
  const running = app.sendToWorker('four', 'hang')
  await expect.poll(() => stateOf('four')).toBe('running')
  expect(await runCli('stop', 'four')).toBe('four: stopped\n')
  expect(await running).toMatchObject({ outcome: 'interrupted' })
  const cli = openCli()
  await expect(sendPrompt(cli.context, 'four', 'x', { wait: true })).rejects.toMatchObject({ code: 'worker_ended' })
  cli.context.close()
})

test('a worker that another process than the server holds is not asked for there', async () => {
  const other = sandbox.app({ agents: [talkingAgent] })
  expect(await other.findWorker('one')).toMatchObject({ state: 'idle' })
  await expect(other.sendToWorker('one', 'x')).rejects.toMatchObject({ code: 'worker_busy' })
  await expect(other.stopWorker('one')).rejects.toMatchObject({ code: 'worker_busy' })
})

test('the token is given to nobody but the server that wrote server.json, nor taken from an open file', async () => {
  const file = join(sandbox.offshootHome, 'token')
  chmodSync(file, 0o644)
  expect(await reachServer(sandbox.offshootHome)).toBeNull()
  chmodSync(file, 0o600)
  expect(await reachServer(sandbox.offshootHome)).not.toBeNull()
  const seen: string[] = []
  const impostor = createServer((request, response) => {
    seen.push(`${request.url} ${request.headers.authorization ?? '-'}`)
    response.end('{"instance":"another"}')
  })
  await new Promise<void>((resolve) => impostor.listen(0, '127.0.0.1', resolve))
  const { port } = impostor.address() as { port: number }
  const path = join(sandbox.offshootHome, 'server.json')
  const kept = readFileSync(path, 'utf8')
  try {
    writeFileSync(path, JSON.stringify({ ...JSON.parse(kept), port }))
    expect(await reachServer(sandbox.offshootHome)).toBeNull()
    expect(seen).toEqual(['/health -'])
  } finally {
    writeFileSync(path, kept)
    impostor.close()
  }
})

test('when the server ends in the middle, that is said, and the next prompt resumes the worker here', async () => {
  const cli = openCli()
  const sent = sendPrompt(cli.context, 'one', 'hang', { wait: true })
  await expect.poll(() => stateOf('one')).toBe('running')
  await serving.stop()
  expect(await sent).toBe(130)
  expect(await shownOf('one')).toMatch(/resumable/)
  await expect(sendPrompt(openCli().context, 'one', 'x', { wait: false })).rejects.toMatchObject({ code: 'usage' })
  cli.context.close()
})
