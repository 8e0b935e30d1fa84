// What a person does in the terminal UI with a real agent: talk, step back, fork, talk in both tabs, answer a question, stop a turn,
// fork by seed. What the model API received in each session is the proof.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { AgentId, Message } from '../../../src/model/session.ts'
import { type AppInPty, openApp } from '../../tui/app-in-pty.ts'
import type { SeenItem } from '../lib/history.ts'
import { readSeed } from '../lib/seed-rules.ts'
import { waitUntil } from '../lib/wait.ts'
import { letClaudeAsk, type WorkerBench } from '../workers/worker-bench.ts'
import { receivedDiff, seenIn } from './received.ts'

const size = { columns: 120, rows: 40 }

/** A session made by the agent itself and let go of; its second turn, if it gets one, calls a tool. */
export async function makeSession(bench: WorkerBench, agent: AgentId, turns: 1 | 2): Promise<string> {
  letClaudeAsk(bench)
  const app = bench.openApp()
  const { work } = bench.claude.sandbox
  const worker = await app.spawnWorker({ agent, kind: 'headless', projectPath: work, name: 'first' })
  const call = agent === 'claude' ? '[[bash:cat notes.txt]]' : '[[shell: cat notes.txt]]'
  for (const prompt of ['First talk', `Second talk ${call}`].slice(0, turns)) await app.sendToWorker('first', prompt)
  await app.stopWorker('first')
  await app.shutDown()
  return worker.sessionId ?? ''
}

/** Opens the UI once more; whoever runs the story ends it. */
export type OpenTui = () => Promise<AppInPty>

export async function openTui(bench: WorkerBench): Promise<AppInPty> {
  const app = openApp({ ...size, cwd: bench.claude.sandbox.work, env: { ...bench.vars, NO_COLOR: '1' } })
  await app.waitFor(/(\?|F1) keys/)
  return app
}

/** The last answer is there, and the turn is over. */
async function say(app: AppInPty, prompt: string, answer: RegExp): Promise<void> {
  app.press(prompt)
  await app.waitFor(`❯ ${prompt}`)
  app.press('enter')
  await app.waitFor(answer)
  await app.waitFor(/ask (Claude|Codex);/)
}

const answerTo = (text: string) => new RegExp(`● Answer (\\d+ )?to: ${text}`)

async function confirmFork(app: AppInPty): Promise<void> {
  await app.waitFor(/context +\[/)
  app.press('enter')
  const asked = await app.waitFor(/Say yes first|Fork created/)
  if (asked.includes('Say yes first')) app.press('y', 'enter')
  await app.waitFor('Fork created')
}

const findFork = async (bench: WorkerBench, known: readonly string[]): Promise<string> =>
  waitUntil('the fork in the catalogue', async () => {
    const sessions = await bench.app.listSessions()
    return sessions.find(({ id, title }) => title.startsWith('Fork of') && !known.includes(id))?.id
  })

/** `/model` in the composer: what the API is asked for, from the next turn on and in a UI opened later. */
async function changeModel(bench: WorkerBench, agent: AgentId, app: AppInPty, open: OpenTui): Promise<void> {
  const asked = (text: string) =>
    agent === 'claude'
      ? bench.claude.api.requests.filter(({ kind, prompt }) => kind === 'turn' && prompt.includes(text)).map(({ model }) => model)
      : bench.codex.api.requests
          .filter(({ input }) => JSON.stringify(input.at(-1)).includes(text))
          .map(({ body }) => String(body.model))
  const model = agent === 'claude' ? 'claude-haiku-4-5' : 'gpt-5.4'
  app.press('/model -x')
  await app.waitFor('❯ /model -x')
  app.press('enter')
  await app.waitFor('does not begin with a hyphen')
  app.press('ctrl+u', `/model ${model}`)
  await app.waitFor(`❯ /model ${model}`)
  app.press('enter')
  await app.waitFor(`The next turn uses ${model}.`)
  await say(app, 'With that model', answerTo('With that model'))
  expect(new Set(asked('With that model'))).toEqual(new Set([model]))
  app.press('ctrl+q')
  await app.ended
  const again = await open()
  await again.waitFor(answerTo('With that model'))
  await say(again, 'And after that', answerTo('And after that'))
  expect(new Set(asked('And after that'))).toEqual(new Set([model]))
}

/** Talks in a tab, forks two messages back, talks in both. */
export async function talkAndFork(bench: WorkerBench, agent: AgentId, open: OpenTui): Promise<void> {
  const parent = await makeSession(bench, agent, 2)
  const app = await open()
  await app.waitFor('2 turns')
  app.press('enter')
  await app.waitFor(answerTo('Second talk'))
  await say(app, 'Third talk', answerTo('Third talk'))
  await app.waitFor('· 3 turns ·') // one steps back in what was read of the file
  const kept = await seenIn(bench, agent, parent, 2)
  const whole = await seenIn(bench, agent, parent)
  expect(rolesOf(kept)).toEqual(['user', 'assistant', 'user', ...callRoles(agent), 'assistant'])
  expect(rolesOf(whole)).toEqual([...rolesOf(kept), 'user', 'assistant'])

  app.press('esc')
  await app.waitFor('BACKTRACK')
  app.press('k', 'k')
  await app.waitFor(/keeps 2 turns, drops 1/)
  app.press('enter')
  await confirmFork(app)
  const child = await findFork(bench, [])
  expect(app.lines()[0]).toContain('2 Fork of')
  await app.waitFor(answerTo('Second talk'))
  expect(app.screen()).not.toContain('Third talk')
  await say(app, 'In the fork', answerTo('In the fork'))
  app.press('alt+left')
  await app.waitFor(answerTo('Third talk'))
  await say(app, 'In the parent', answerTo('In the parent'))

  expect(receivedDiff(bench, agent, child, 'In the fork', kept)).toBe('')
  expect(receivedDiff(bench, agent, parent, 'In the parent', whole)).toBe('')
  await changeModel(bench, agent, app, open)
}

/** Claude says what it is going to call. */
const callRoles = (agent: AgentId) => [...(agent === 'claude' ? ['assistant'] : []), 'tool_call', 'tool_result']
const rolesOf = (items: readonly SeenItem[]): string[] => items.map(({ role }) => role).filter((role) => role !== 'system')

export async function questionsAndStops(bench: WorkerBench, agent: AgentId, open: OpenTui): Promise<void> {
  await makeSession(bench, agent, 1)
  const app = await open()
  await app.waitFor('1 turn')
  app.press('enter')
  await app.waitFor(answerTo('First talk'))
  const file = join(bench.claude.sandbox.root, 'asked-for')
  const directive = agent === 'claude' ? `[[bash:touch ${file}]]` : `[[ask: touch ${file}]]`
  app.press(`Do it ${directive}`)
  await app.waitFor('Do it ')
  app.press('enter')
  await app.waitFor('asks to use')
  expect(existsSync(file)).toBe(false)
  app.press('y')
  await app.waitFor(answerTo('Do it'))
  await app.waitFor(/ask (Claude|Codex);/)
  expect(existsSync(file)).toBe(true)

  app.press('This hangs [[hang]]')
  await app.waitFor('This hangs')
  app.press('enter')
  await app.waitFor('Esc stop the turn')
  await waitUntil('the prompt to be there', () =>
    JSON.stringify(agent === 'claude' ? bench.claude.api.requests : bench.codex.api.requests).includes('This hangs'),
  )
  app.press('esc')
  await app.waitFor(/Stopped\.|interrupted/i)
  await say(app, 'Goes on', answerTo('Goes on'))
  await changeModel(bench, agent, app, open)
}

/** IN5 to IN7. */
export async function seedFork(bench: WorkerBench, agent: AgentId, open: OpenTui): Promise<void> {
  const parent = await makeSession(bench, agent, 2)
  const app = await open()
  await app.waitFor('2 turns')
  app.press('enter')
  await app.waitFor(answerTo('Second talk'))
  app.press('alt+shift+f')
  await app.waitFor(/way +(native|prefix)/)
  app.press('left')
  await app.waitFor(/way +seed/)
  await confirmFork(app)
  await app.waitFor('context injected; waiting for your next prompt.')
  const made = await readAll(app)
  expect(made).toContain('OFFSHOOT_FORK_SEED')
  expect(answersOn(made)).toEqual([])
  const child = await findFork(bench, [])
  const seeded = await seenIn(bench, agent, child)
  await say(app, 'After the seed', answerTo('After the seed'))
  await app.waitFor('· 2 turns ·') // it was read from the file
  const said = await messagesOf(bench, child)
  const answers = said.flatMap(({ role, text }) => (role === 'assistant' ? [text] : []))
  expect(answers).toEqual(['Ready.', expect.stringMatching(/^Answer (\d+ )?to: After the seed$/)])
  expect(answersOn(await readAll(app))).toEqual(answers.slice(1))

  expect(receivedDiff(bench, agent, child, 'After the seed', seeded)).toBe('')
  expect(rolesOf(seeded)).toEqual(['user', 'assistant'])
  const { blocks } = readSeed(seeded.find(({ role }) => role === 'user')?.text ?? '')
  const roles = (await messagesOf(bench, parent)).map(({ role }) => role)
  expect(blocks.map(({ role }) => role)).toEqual(roles.filter((role) => role !== 'system'))

  app.press('ctrl+q')
  await app.ended
  const again = await open()
  await again.waitFor(answerTo('After the seed'))
  expect(answersOn(await readAll(again))).toEqual(answers)
}

async function messagesOf({ app }: WorkerBench, sessionId: string): Promise<Message[]> {
  const messages: Message[] = []
  for await (const entry of app.readSession((await app.resolve(sessionId)).session))
    if (entry.kind === 'message') messages.push(entry.message)
  return messages
}

const answersOn = (text: string): string[] => [...text.matchAll(/^● (.*)$/gm)].map(([, answer = '']) => answer)

/** Every line the tab shows, from its top. Keys are drawn in their order: what one types behind a page key shows when that is done. */
async function readAll(app: AppInPty): Promise<string> {
  let typed = ''
  const turn = async (key: 'pageup' | 'pagedown'): Promise<string[]> => {
    typed += 'x'
    app.press(key, 'x')
    await app.waitFor(`❯ ${typed}`)
    return app.lines().slice(
      2,
      app.lines().findLastIndex((line) => line.startsWith('──')), // the rule above the composer, or how much is below
    )
  }
  const pages = [await turn('pagedown')]
  for (;;) {
    const above = await turn('pageup')
    if (above.join('\n') === pages[0]?.join('\n')) break
    pages.unshift(above)
  }
  for (const _ of pages) await turn('pagedown')
  app.press('ctrl+u')
  await app.waitWhile(`❯ ${typed}`)
  return pages.reduce(joinPages, []).join('\n')
}

/** Pages overlap: what the next one begins with is not taken twice. */
function joinPages(all: readonly string[], page: readonly string[]): string[] {
  for (let size = Math.min(all.length, page.length); size > 0; size -= 1)
    if (all.slice(-size).join('\n') === page.slice(0, size).join('\n')) return [...all, ...page.slice(size)]
  return [...all, ...page]
}

/** The agent's process dies in the middle of an answer: the tab says so, and the next prompt resumes. */
export async function agentDies(bench: WorkerBench, agent: AgentId, open: OpenTui): Promise<void> {
  await makeSession(bench, agent, 1)
  const app = await open()
  await app.waitFor('1 turn')
  app.press('enter')
  await app.waitFor(answerTo('First talk'))
  app.press('This hangs [[hang]]')
  await app.waitFor('This hangs')
  app.press('enter')
  const worker = await waitUntil('the worker', async () => {
    const running = (await bench.app.listWorkers()).find(({ state }) => state === 'running')
    return running?.pid === null ? undefined : running
  })
  await app.waitFor('Esc stop the turn')
  process.kill(worker.pid ?? 0, 'SIGKILL')
  await app.waitWhile('Esc stop the turn')
  expect(app.isFullScreen()).toBe(true)
  app.press('ctrl+u')
  await say(app, 'Still there', answerTo('Still there'))
}
