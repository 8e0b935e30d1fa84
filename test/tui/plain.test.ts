// The plain mode as a process: a conversation in lines on a terminal that is never drawn on, and through pipes.
import { describe, expect, test } from 'vitest'
import { makeFakeAgent } from '../cli/fake-agent.ts'
import { waitUntil } from '../real/lib/wait.ts'
import type { AppInPty } from './app-in-pty.ts'
import { makeEmptyHome, useHome } from './tui-home.ts'

const home = useHome()

function start(args: readonly string[], env: Readonly<Record<string, string>> = {}): AppInPty {
  return home.open({ rows: 50, args, env, hasColors: true })
}

/** What was printed since the last call, once it looks like this. */
function createTalk(app: AppInPty) {
  let read = 0
  const until = async (pattern: RegExp) => {
    const text = await waitUntil(
      `${pattern}`,
      () => {
        const printed = app.raw().slice(read)
        return pattern.test(printed) ? printed : undefined
      },
      { describe: app.raw },
    )
    read += text.length
    return text
  }
  const say = (line: string, pattern: RegExp) => {
    app.press(line, 'enter')
    return until(pattern)
  }
  return { until, say }
}

/** At the end stands this prompt, on a line of its own. */
const prompt = (place: string) => new RegExp(`\\n${place}> $`)

test('search, open, step back, fork: all in words, the terminal is never drawn on', async () => {
  const app = start(['--plain'])
  const { until, say } = createTalk(app)
  const listed = await until(prompt('Sessions'))
  expect(listed).toMatch(/^\d\. Due dates in plain words\. Claude, .* ago, 2 turns/m)
  // The first answers may come while the index is being made: the list is read out again when there is more.
  const found = /1\. Give every task[\s\S]*\nSessions> $/
  expect(await say('sort the list by due date', found)).toMatch(/1\. Give every task a due date\. .*found at turn \d/)
  const opened = await say('1', prompt('Claude'))
  expect(opened).toContain('Session Give every task a due date. Claude, 3 turns')
  expect(opened).toContain('Claude: Sorted: tasks without a date come last.')
  const stops = await say('/back', prompt('Message'))
  expect(stops).toMatch(/^5\. You: .* keeps 2 turns, drops 1/m)
  expect(await say('5', prompt('Fork'))).toContain('turns: 2 kept, 1 dropped')
  await say('4 Sorted otherwise', /4\. title: Sorted otherwise[\s\S]*Fork>\s*$/)
  expect(await say('fork', /Say yes first[\s\S]*Fork>\s*$/)).toContain('Error: Say yes first')
  await say('yes', /You said yes[\s\S]*Fork>\s*$/)
  const forked = await say('fork', prompt('Claude'))
  expect(forked).toContain('Session Sorted otherwise. Claude, 2 turns')
  expect(forked).toContain('Fork created; waiting for your next prompt.')
  expect(forked).toContain('An empty line sends it')
  expect(await say('/tree', prompt('Tree'))).toMatch(/\d\. Sorted otherwise\. Claude, prefix fork of \d at turn 2/)
  await say('cancel', prompt('Claude'))
  app.press('/quit', 'enter')
  expect(await app.ended).toMatchObject({ exitCode: 0 })
  expect(app.isFullScreen()).toBe(false)
  expect(app.raw()).not.toContain('\u001b')
  expect(app.raw()).not.toMatch(/[\u2500-\u28ff]/u)
})

describe('it opens by itself', () => {
  test.each([
    ['where the terminal cannot move its cursor', { TERM: 'dumb' }],
    ['where the setting says so', { OFFSHOOT_PLAIN: 'true' }],
  ])('%s, and Control D leaves', async (_, env) => {
    const app = start([], env)
    await createTalk(app).until(prompt('Sessions'))
    expect(app.raw()).not.toContain('\u001b')
    app.press('\u0004')
    expect(await app.ended).toMatchObject({ exitCode: 0 })
  })
})

test('Control C says that one more leaves, and does', async () => {
  const app = start(['--plain'])
  const { until } = createTalk(app)
  await until(prompt('Sessions'))
  app.press('half a li', 'ctrl+c')
  await until(/Ctrl\+C once more leaves[\s\S]*\nSessions> $/)
  app.press('ctrl+c')
  expect(await app.ended).toMatchObject({ exitCode: 0 })
})

test('an agent that is not installed is told, the prompt is kept', async () => {
  const app = start(['--plain'], { PATH: '/nonexistent' })
  const { until, say } = createTalk(app)
  await until(prompt('Sessions'))
  await say('4', prompt('Claude'))
  const told = await say('hello there', /Waiting to be sent[\s\S]*Claude>\s*$/)
  expect(told).toContain('claude is not on the PATH')
  expect(told).toContain('Waiting to be sent: hello there')
})

test("the agent's own UI gets the terminal and gives it back", async () => {
  const app = start(['--plain'], { PATH: `${makeFakeAgent(home.home)}:${home.vars.PATH}` })
  const { until, say } = createTalk(app)
  await until(prompt('Sessions'))
  await say('4', prompt('Claude'))
  await say('/cli', /HAS THE TERMINAL/)
  await say('hello agent', /HEARD hello agent/)
  expect(await say('exit 0', /Back in offshoot\.[\s\S]*Claude>\s*$/)).not.toContain('Sent to Claude')
})

test('lines of a pipe are a conversation too', async () => {
  await home.run(['index'])
  const { stdout, status } = await home.run(['--plain'], {
    input: '/sessions\nsort the list by due date\n1\n/show 1\n/address\n',
  })
  expect(status).toBe(0)
  expect(stdout).toContain('Found for "sort the list by due date"')
  expect(stdout).toMatch(/Claude: Sorted: tasks without a date come last\./)
  expect(stdout).toMatch(/claude:[0-9a-f-]{36}\n/)
})

test('with a command it is refused: it would do nothing there', async () => {
  const { stderr, status } = await home.run(['--plain', 'sessions'])
  expect({ stderr: stderr.includes('--plain stands alone'), status }).toEqual({ stderr: true, status: 2 })
})

test('without any sessions it says what offshoot can do', async () => {
  const { folder: cwd, vars: env, remove } = makeEmptyHome()
  const { stdout, status } = await home.run(['--plain'], { env, cwd, input: '1\n/fork\n' })
  remove()
  expect(status).toBe(0)
  expect(stdout).toContain('No sessions were found in all repositories.')
  expect(stdout).toContain('offshoot demo')
  expect(stdout).toContain('There is no session 1 in the list.')
  expect(stdout).toContain('There is no session to fork here.')
})
