// Every way out gives the terminal back as it was: what the UI switched on is off, the shell's screen is there, keys echo again.
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { isAlive } from '../../src/lib/is-alive.ts'
import { bin } from '../cli/run-cli.ts'
import { waitUntil } from '../real/lib/wait.ts'
import type { AppInPty } from './app-in-pty.ts'
import { useHome } from './tui-home.ts'

const home = useHome()

/** A shell around it, that says in which state it got the terminal back. */
async function openInShell(env: Readonly<Record<string, string>> = {}): Promise<AppInPty> {
  const script = `echo BEFORE; '${process.execPath}' '${bin}'; echo "status=$?"; stty -a; read -r`
  const app = home.open({ env, argv: ['bash', '-c', script], hasColors: true })
  await app.waitFor('Due dates in plain words')
  expect(app.isFullScreen()).toBe(true)
  return app
}

async function expectRestored(app: AppInPty, status: number): Promise<string> {
  const screen = await app.waitFor('status=')
  await app.waitFor(/ echo /)
  expect(app.isFullScreen()).toBe(false)
  expect(screen).toContain('BEFORE')
  expect(app.screen()).toContain(`status=${status}`)
  expect(app.screen()).toMatch(/(?<!-)icanon/)
  expect(app.screen()).toMatch(/(?<!-)isig/)
  for (const mode of ['1049', '1000', '1006', '2004'])
    expect(app.raw().lastIndexOf(`\u001b[?${mode}l`)).toBeGreaterThan(app.raw().lastIndexOf(`\u001b[?${mode}h`))
  for (const mode of ['25', '7'])
    expect(app.raw().lastIndexOf(`\u001b[?${mode}h`)).toBeGreaterThan(app.raw().lastIndexOf(`\u001b[?${mode}l`))
  return app.screen()
}

/** The UI itself, below the shell. */
const findApp = async (app: AppInPty): Promise<number> =>
  waitUntil('the process of the UI', () => {
    const [child] = readFileSync(`/proc/${app.pid}/task/${app.pid}/children`, 'utf8').trim().split(' ').map(Number)
    return child
  })

describe('the terminal is given back', () => {
  test('by q', async () => {
    const app = await openInShell()
    app.press('q')
    await expectRestored(app, 0)
  })

  test('by Ctrl+C, pressed until it leaves', async () => {
    const app = await openInShell()
    app.press('ctrl+c', 'ctrl+c')
    await expectRestored(app, 0)
  })

  test.each([
    ['SIGTERM', 143],
    ['SIGHUP', 129],
    ['SIGINT', 130],
  ] as const)('by %s', async (signal, status) => {
    const app = await openInShell()
    process.kill(await findApp(app), signal)
    await expectRestored(app, status)
  })

  test('by a crash, which is told on the screen of the shell', async () => {
    const fault = encodeURIComponent("process.on('SIGUSR2', () => { throw new Error('boom in the middle') })")
    const app = await openInShell({ NODE_OPTIONS: `--import=data:text/javascript,${fault}` })
    process.kill(await findApp(app), 'SIGUSR2')
    expect(await expectRestored(app, 70)).toContain('boom in the middle')
  })
})

test('a terminal that is closed ends it, and nothing stays behind', async () => {
  const app = home.open({ hasColors: true })
  await app.waitFor('Due dates in plain words')
  const { pid } = app
  app.close()
  await waitUntil('the process to end', () => !isAlive(pid))
  expect(isAlive(pid)).toBe(false)
})

test('without a terminal there is the help', async () => {
  const { stdout, status } = await home.run([])
  expect(status).toBe(0)
  expect(stdout).toContain('Usage: offshoot')
})
