// What goes wrong around the UI is told in it, and it goes on: no sessions, no agent, files replaced, a layout that cannot be kept.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { sampleIds } from '../../src/cli/demo/sample-sessions.ts'
import { makeFakeAgent } from '../cli/fake-agent.ts'
import type { AppInPty } from './app-in-pty.ts'
import { makeEmptyHome, openDueDates, useHome } from './tui-home.ts'

const home = useHome()

async function leave(app: AppInPty): Promise<void> {
  app.press('ctrl+q')
  expect(await app.ended).toMatchObject({ exitCode: 0 })
}

/** A PATH with git and node on it and no agent. */
function pathWithoutAgents(): string {
  const folder = join(home.home, 'bin-without-agents')
  mkdirSync(folder, { recursive: true })
  for (const tool of ['git', 'bash', 'ls', 'stty']) {
    const found = (home.vars.PATH ?? '').split(':').find((each) => existsSync(join(each, tool)))
    if (found !== undefined) symlinkSync(join(found, tool), join(folder, tool))
  }
  return folder
}

test('without any sessions it says what offshoot can do and what to do next', async () => {
  const empty = makeEmptyHome()
  execFileSync('git', ['init', '--quiet', empty.folder])
  const app = home.open({ env: empty.vars, cwd: empty.folder })
  const screen = await app.waitFor('offshoot demo')
  expect(screen).toContain('a place to branch')
  expect(screen).toContain('offshoot hooks install')
  app.press('enter')
  await app.waitFor('There is no session here.')
  await leave(app)
  empty.remove()
})

test('in a repository without sessions it tells of those of other repositories, and lists them by the key it names', async () => {
  const other = makeEmptyHome()
  execFileSync('git', ['init', '--quiet', other.folder])
  const app = home.open({ cwd: other.folder })
  await app.waitFor(/No sessions in this repository yet\.[\s\S]*\bs +\d+ sessions of all repositories/)
  app.press('s')
  await app.waitFor(/all repositories[\s\S]*\d turns/)
  await leave(app)
  other.remove()
})

describe("the agent's own UI", () => {
  test('gets the terminal, and gives it back when it ends', async () => {
    const agents = makeFakeAgent(home.home)
    const app = home.open({ env: { PATH: `${agents}:${home.vars.PATH}` } })
    await openDueDates(app)
    app.press('alt+o')
    await app.waitFor('HAS THE TERMINAL')
    expect(app.screen()).toContain(`--resume=${sampleIds.dueDates}`)
    expect(app.isFullScreen()).toBe(false)
    app.press('hello there', 'enter')
    await app.waitFor('HEARD hello there')
    app.resize({ columns: 90, rows: 28 })
    app.press('exit 3', 'enter')
    await app.waitFor('Sorted: tasks without a date come last.')
    expect(app.isFullScreen()).toBe(true)
    expect(app.lines()).toHaveLength(28)
    expect(app.lines().at(-1)).toContain('Esc step back')
    app.press('typed after it')
    await app.waitFor('❯ typed after it')
    app.press('ctrl+u')
    await leave(app)
  })

  test('is not installed: the UI says what to do and goes on', async () => {
    const app = home.open({ env: { PATH: pathWithoutAgents() } })
    await openDueDates(app)
    app.press('alt+o')
    await app.waitFor('claude could not be started: is it installed and on the PATH?')
    expect(app.isFullScreen()).toBe(true)
    app.press('hello', 'enter')
    await app.waitFor(/claude is not on the PATH/)
    // What was typed is there again.
    await app.waitFor('❯ hello')
    app.press('ctrl+u')
    await leave(app)
  })
})

describe('files', () => {
  test('a session that is replaced while it is open is shown as it is now', async () => {
    const app = home.open()
    await openDueDates(app)
    const before = readFileSync(home.transcript, 'utf8')
    writeFileSync(
      `${home.transcript}.new`,
      before.replace('Sorted: tasks without a date come last.', 'Sorted anew: oldest first.'),
    )
    renameSync(`${home.transcript}.new`, home.transcript)
    await app.waitFor('Sorted anew: oldest first.')
    expect(app.screen()).not.toContain('tasks without a date come last')
    writeFileSync(home.transcript, before)
    await app.waitFor('Sorted: tasks without a date come last.')
    await leave(app)
  })

  test('a session whose file goes away while it is open stays as it was read', async () => {
    const app = home.open()
    await openDueDates(app)
    const kept = readFileSync(home.transcript, 'utf8')
    rmSync(home.transcript)
    app.press('typed on')
    await app.waitFor('❯ typed on')
    expect(app.screen()).toContain('Sorted: tasks without a date come last.')
    app.press('ctrl+u')
    await leave(app)
    writeFileSync(home.transcript, kept)
  })

  test('a layout that cannot be written is told, and nothing else is lost', async () => {
    rmSync(home.layout, { force: true })
    mkdirSync(home.layout)
    const app = home.open()
    await openDueDates(app)
    await app.waitFor(/layout|EISDIR|ENOTDIR|could not be/)
    app.press('still here')
    await app.waitFor('❯ still here')
    await leave(app)
    rmSync(home.layout, { recursive: true })
  })
})

test('copying an address goes to the clipboard of the terminal (OSC 52)', async () => {
  const app = home.open()
  await app.waitFor('Due dates in plain words')
  app.press('y')
  await app.waitFor('Copied ')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is how it is sent
  const [, copied = ''] = /\u001b\]52;c;([^\u0007]*)\u0007/.exec(app.raw()) ?? []
  expect(Buffer.from(copied, 'base64').toString()).toMatch(/^(codex|claude):[0-9a-f-]{36}$/)
  await leave(app)
})
