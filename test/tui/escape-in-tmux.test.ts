// BT1 and IN1 in real tmux, whose escape-time (500 ms unless set) holds a lone Escape back and makes two of them one chunk.
import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isAlive } from '../../src/lib/is-alive.ts'
import { bin } from '../cli/run-cli.ts'
import { waitUntil } from '../real/lib/wait.ts'
import { useHome } from './tui-home.ts'

const home = useHome()
const servers: string[] = []
const pids: number[] = []

afterAll(async () => {
  for (const socket of servers.reverse()) execFileSync('tmux', ['-S', socket, 'kill-server'])
  await waitUntil('every UI to end with its terminal', () => !pids.some(isAlive))
})

/** `null`: as tmux comes. */
async function openInTmux(escapeTime: number | null) {
  const socket = join(home.home, `tmux-${servers.length}`)
  const env = { ...home.vars, LANG: 'C.UTF-8', TERM: 'xterm-256color' }
  const tmux = (...args: string[]) =>
    execFileSync('tmux', ['-u', '-S', socket, '-f', '/dev/null', ...args], { env, encoding: 'utf8' })
  rmSync(home.layout, { force: true })
  tmux('new-session', '-d', '-x', '100', '-y', '30', '-c', home.repository, 'sleep 600')
  servers.push(socket)
  if (escapeTime !== null) tmux('set-option', '-s', 'escape-time', String(escapeTime))
  expect(tmux('show-options', '-sv', 'escape-time').trim()).toBe(String(escapeTime ?? 500))
  tmux('respawn-pane', '-k', '-c', home.repository, `exec '${process.execPath}' '${bin}'`)
  // What a client types goes through escape-time; what `send-keys` sends does not: a second tmux is the person at the first.
  const outer = `${socket}-client`
  const typing = (...args: string[]) =>
    execFileSync('tmux', ['-u', '-S', outer, '-f', '/dev/null', ...args], { env, encoding: 'utf8' })
  typing('new-session', '-d', '-x', '100', '-y', '31', `exec tmux -u -S '${socket}' attach`)
  servers.push(outer)
  const screen = () => tmux('capture-pane', '-p')
  const waitFor = (pattern: string | RegExp) =>
    waitUntil(`${pattern} on the screen`, () => (new RegExp(pattern).test(screen()) ? screen() : undefined), {
      describe: screen,
    })
  const waitWhile = (pattern: string | RegExp) =>
    waitUntil(`${pattern} to go`, () => (new RegExp(pattern).test(screen()) ? undefined : screen()), {
      describe: screen,
    })
  await waitFor('Due dates in plain words')
  pids.push(Number(tmux('display-message', '-p', '#{pane_pid}')))
  const press = (...keys: string[]) => void typing('send-keys', ...keys)
  press('/')
  await waitFor('what are you looking for')
  press('-l', 'sort the list by due date')
  await waitFor(/▌ .*Give every task a due date\./)
  press('Enter')
  await waitFor(/● Sorted: tasks without a date come last[\s\S]*ask Claude/)
  return { press, screen, waitFor, waitWhile }
}

describe.each([
  ['its own', null],
  ['a short one', 10],
] as const)('with %s escape-time', (_, escapeTime) => {
  let app: Awaited<ReturnType<typeof openInTmux>>
  beforeAll(async () => {
    app = await openInTmux(escapeTime)
  })

  test('Escape enters backtrack at the newest message', async () => {
    app.press('Escape')
    expect(await app.waitFor('BACKTRACK')).toMatch(/keeps 3 turns, drops 0/)
    app.press('q')
    await app.waitWhile('BACKTRACK')
  })

  test('two Escapes at once enter it and step one message back', async () => {
    app.press('Escape', 'Escape')
    expect(await app.waitFor(/keeps 2 turns, drops 1/)).toContain('FORK POINT')
    app.press('q')
    await app.waitWhile('BACKTRACK')
  })

  test.each([
    ['at once', 0],
    ["at a person's pace", 120],
  ])('three Escapes %s leave it as it was', async (_, gapMs) => {
    // It is told by their pace: where the machine held one of them up they were slow ones, which are another matter.
    const tries: string[] = []
    for (let left = false; !left && tries.length < 5; ) {
      for (let press = 0; press < 3; press += 1) {
        app.press('Escape')
        await pause(gapMs)
      }
      // Longer than tmux holds an Escape back: what follows sooner would be Alt and that key, which does nothing.
      await pause((escapeTime ?? 500) + 400)
      const seen = await waitUntil(
        'the key after them',
        () => {
          app.press('z')
          return /❯ z|z does nothing here/.test(app.screen()) && app.screen()
        },
        { everyMs: 300, describe: app.screen },
      )
      tries.push(seen)
      left = !seen.includes('BACKTRACK')
      app.press(left ? 'C-u' : 'q')
      await app.waitWhile(/BACKTRACK|does nothing here/)
      await app.waitFor('ask Claude')
    }
    expect(tries.at(-1)).not.toContain('BACKTRACK')
  })

  test('slow Escapes step back one by one, and at the oldest message leave', async () => {
    app.press('Escape')
    await app.waitFor('BACKTRACK')
    await pause(700)
    const stops = ['keeps 2 turns, drops 1', 'keeps 2 turns, drops 1', 'keeps 1 turn, drops 2', 'keeps 1 turn, drops 2']
    for (const stop of stops) {
      const before = app.screen()
      app.press('Escape')
      await waitUntil('the next stop', () => app.screen() !== before, { describe: app.screen })
      await app.waitFor(stop)
    }
    const before = app.screen()
    app.press('Escape')
    await waitUntil('the oldest', () => app.screen() !== before, { describe: app.screen })
    await app.waitFor('keeps 0 turns, drops 3')
    app.press('Escape')
    await app.waitWhile('BACKTRACK')
  })

  test('Alt+Shift+F opens the fork dialog, Escape closes it', async () => {
    app.press('M-F')
    await app.waitFor(/way +native|way +prefix/)
    app.press('Escape')
    await app.waitWhile(/way +(native|prefix)/)
    await app.waitFor('ask Claude')
  })
})
