// The whole UI under a pseudo-terminal, at three sizes: every screen once, as a person would walk through them.
import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Fixture, runProcess } from '../cli/run-cli.ts'
import type { AppInPty } from './app-in-pty.ts'
import { useHome } from './tui-home.ts'

const sizes = [
  { columns: 60, rows: 16 },
  { columns: 100, rows: 30 },
  { columns: 200, rows: 60 },
]
/** `esc` alone is known as such only a moment after it. */
async function pressEscape(app: AppInPty, pattern: string | RegExp): Promise<string> {
  app.press('esc')
  return app.waitFor(pattern)
}

/** The whole screen; what is another in every run is replaced by as many letters. */
function look(app: AppInPty, home: Fixture): string {
  const same = (text: string) => text.replace(/[^\s]/g, 'x')
  return app
    .lines()
    .map((line) =>
      line
        .replaceAll(home.home, '/home/person')
        .replace(/\d+[smhd] ago|(?<=· )now(?= ·)/g, 'then')
        .replace(/[\d,]+(?= of an assumed 1,000,000 tokens)|0\.\d+(?= USD)/g, same)
        .replace(/\b[0-9a-f]{12}\b/g, same)
        .replace(/(session|todo)\/[a-z0-9]{8}\b/g, (text) => `${text.slice(0, -8)}xxxxxxxx`)
        .trimEnd(),
    )
    .join('\n')
}

describe.each(sizes)('at $columns x $rows', (size) => {
  const home = useHome()
  let app: AppInPty
  beforeAll(async () => {
    app = home.open(size)
    await app.waitFor('Due dates in plain words')
  })

  test('the list fills the screen, keys at its foot', () => {
    expect(app.isFullScreen()).toBe(true)
    const lines = app.lines()
    expect(lines[0]).toMatch(/^ Sessions/)
    expect(lines).toHaveLength(size.rows)
    expect(lines.at(-1)).toMatch(/Enter open .*\? keys {2}f fork/)
    expect(lines.filter((line) => /^...(claude|codex) /.test(line))).toHaveLength(4)
    expect(lines.slice(0, 12).map((line) => line.replace(/\d+[hd] ago/, 'then'))).toMatchSnapshot()
  })

  test('searches as one types, and Escape goes back to the list', async () => {
    app.press('/')
    await app.waitFor('what are you looking for?')
    app.press('plain file')
    await app.waitFor(/@\d/)
    expect(app.screen()).toMatch(/plain file/i)
    await app.waitFor(/index: (all )?\d+/)
    app.press('esc')
    await app.waitFor('what are you looking for?')
    app.press('esc')
    await app.waitWhile('what are you looking for?')
    await app.waitFor('Due dates in plain words')
  })

  test('opens a session, scrolls, folds and unfolds', async () => {
    app.press('g', 'down', 'down', 'enter')
    await app.waitFor('Sorted: tasks without a date come last.')
    expect(app.lines()[0]).toContain('1 Give every task')
    app.press('tab', 'g')
    await app.waitFor('❯ Give every task a due date.')
    expect(app.screen()).not.toContain('▾')
    app.press('u', 'g')
    await app.waitFor('▾')
    app.press('u', 'g')
    await app.waitWhile('▾')
    app.press('G')
    await app.waitFor('Sorted: tasks without a date come last.')
    app.press('tab')
    await app.waitFor('Esc step back')
    expect(look(app, home)).toMatchSnapshot('transcript')
  })

  test('steps back with Escape, further with k, forward with j, and q leaves', async () => {
    const newest = await pressEscape(app, 'BACKTRACK')
    expect(newest).toContain('FORK POINT')
    expect(newest).toMatch(/keeps 3 turns, drops 0/)
    app.press('k')
    await app.waitFor(/keeps 2 turns, drops 1/)
    expect(look(app, home)).toMatchSnapshot('backtrack')
    app.press('k', 'j')
    await app.waitFor(/keeps 2 turns, drops 1/)
    app.press('q')
    await app.waitWhile('BACKTRACK')
  })

  test('text in the composer is cleared before Escape steps back', async () => {
    app.press('half a thought')
    await app.waitFor('half a thought')
    app.press('esc')
    await app.waitWhile('half a thought')
    expect(app.screen()).not.toContain('BACKTRACK')
    app.paste('two\nlines, neither sent')
    await app.waitFor('lines, neither sent')
    expect(app.lines().filter((line) => /two|neither sent/.test(line))).toHaveLength(2)
    app.press('esc')
    await app.waitWhile('neither sent')
  })

  test('Enter in backtrack opens the fork dialog, Enter there makes the fork in a tab of its own', async () => {
    await pressEscape(app, 'BACKTRACK')
    app.press('k', 'k')
    await app.waitFor(/keeps 2 turns, drops 1/)
    app.press('enter')
    await app.waitFor(/way +prefix/)
    expect(app.screen()).toMatch(/Fork of Give every task/)
    expect(look(app, home)).toMatchSnapshot('fork dialog')
    if (size.rows === 16) {
      await app.waitFor(/▼ \d+ more below: PgDn/)
      expect(app.screen()).not.toMatch(/^ +workspace /m)
      app.press(...Array.from({ length: 8 }, () => 'pagedown'))
      await app.waitFor(/^ +workspace /m)
      expect(app.screen()).not.toContain('▼')
      expect(app.screen()).toMatch(/▲ \d+ more above: PgUp/)
    }
    const shown = /offshoot\/session\/([a-z0-9]{8})/.exec(app.screen())?.[1]
    app.press('enter')
    const asked = await app.waitFor(/Say yes first|Fork created/)
    if (asked.includes('Say yes first')) app.press('y', 'enter')
    await app.waitFor('Fork created')
    expect(app.lines()[0]).toContain('2 Fork of')
    const { sessions } = await home.json<{ sessions: { title: string }[] }>(['sessions', '--json'])
    expect(sessions.filter(({ title }) => title.startsWith('Fork of'))).toHaveLength(1)
    const { stdout } = await runProcess('git', ['worktree', 'list'], home.repository, home.vars)
    const made = /\[offshoot\/session\/([a-z0-9]{8})\]/.exec(stdout)?.[1]
    expect(made).toBeDefined()
    // In a low window the branch is out of sight.
    if (shown !== undefined) expect(made).toBe(shown)
    if (size.rows > 16) expect(shown).toBeDefined()
  })

  test('the tree shows the fork below its parent', async () => {
    app.press('alt+0', 't')
    const tree = await app.waitFor('Tree of forks')
    expect(tree).toBeTruthy()
    await app.waitFor(/[└├].*Fork of/)
    expect(look(app, home).split('\n').slice(0, 10).join('\n')).toMatchSnapshot('tree')
    app.press('q')
    await app.waitWhile('Tree of forks')
  })

  test('workers, palette and help open and close', async () => {
    app.press('w')
    await app.waitFor('None is running.')
    app.press('q')
    await app.waitWhile('None is running.')
    app.press('ctrl+p')
    await app.waitFor('Commands')
    app.press('leave')
    await app.waitFor('Leave offshoot')
    app.press('esc')
    await app.waitWhile('Leave offshoot')
    app.press('?')
    await app.waitFor(/q +Leave offshoot/)
    app.press('?')
    await app.waitWhile('Leave offshoot')
  })

  test('a click opens a tab, the wheel scrolls it', async () => {
    app.click(14, 1)
    await app.waitFor('Sorted: tasks without a date come last.')
    for (let turn = 0; turn < 20; turn += 1) app.wheel('up')
    await app.waitFor('❯ Give every task a due date.')
    for (let turn = 0; turn < 20; turn += 1) app.wheel('down')
    await app.waitFor('Sorted: tasks without a date come last.')
  })

  test('a new size is drawn at once, also one that is too small', async () => {
    app.resize({ columns: 40, rows: 10 })
    await app.waitFor('Make the window larger')
    app.resize({ columns: 80, rows: 24 })
    await app.waitFor('ask Claude')
    expect(app.lines()).toHaveLength(24)
    expect(app.lines().at(-1)).toContain('Esc step back')
    app.resize(size)
    await app.waitFor('ask Claude')
  })

  test('leaves with Ctrl+Q, gives the screen back, and is as it was when opened again', async () => {
    app.press('ctrl+q')
    expect(await app.ended).toMatchObject({ exitCode: 0 })
    expect(app.isFullScreen()).toBe(false)
    expect(app.raw().endsWith('\u001b[?1049l')).toBe(true)
    const layout = JSON.parse(readFileSync(home.layout, 'utf8')) as { tabs: unknown[] }
    expect(layout.tabs).toHaveLength(2)
    const again = home.open({ ...size, keepsTabs: true })
    await again.waitFor('Sorted: tasks without a date come last.')
    expect(again.lines()[0]).toContain('2 Fork of')
    again.press('ctrl+q')
    expect(await again.ended).toMatchObject({ exitCode: 0 })
  })
})
