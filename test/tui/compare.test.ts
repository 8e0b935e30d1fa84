// Two forks compared in the whole UI under a pseudo-terminal: their code beside each other, what they cost.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type CapturedFixture, captured, createCapturedFixture } from '../cli/captured.ts'
import { type AppInPty, openApp } from './app-in-pty.ts'

let home: CapturedFixture
let app: AppInPty

beforeAll(async () => {
  home = await createCapturedFixture()
  await home.run(['fork', `${captured}@1`, '--terminal', 'none', '--yes', '--json'])
  app = openApp({ columns: 120, rows: 30, cwd: home.repository, env: { ...home.vars, NO_COLOR: '1' } })
  await app.waitFor('Fork of')
})

afterAll(async () => {
  app.press('ctrl+q')
  await app.ended
  await home.remove()
})

test('two marked in the tree stand side by side, one under the other where there is no room', async () => {
  app.press('t')
  await app.waitFor('Tree of forks')
  const rows = (await app.waitFor(/[└├].*Fork of/)).split('\n').slice(4)
  const child = rows.findIndex((line) => /[└├].*Fork of/.test(line))
  app.press(...Array.from({ length: child - 1 }, () => 'j'), 'm', 'j', 'm')
  await app.waitFor('2 marked')
  app.press('c')
  const wide = await app.waitFor('1 file differs')
  expect(wide).toMatch(/What they cost after turn 1, where they part/)
  expect(wide).toMatch(/turns +tokens in +cached +out +time/)
  expect(wide).toMatch(/▶ Fork of .* 0 +0 +0 +0 +0s/)
  expect(wide).toMatch(/1 - import Database .*│ +1 \+ import \{ readFileSync/)
  app.resize({ columns: 80, rows: 24 })
  await app.waitFor(/^ ▶ Fork of/m)
  expect(app.screen()).toMatch(/1 - import Database[^│]*\n/)
  app.resize({ columns: 120, rows: 30 })
  app.press('q', 'q')
  await app.waitWhile('Tree of forks')
})

test('a label shows in list, tree and tabs, also in a UI opened later; a fork shows the branch of its workspace', async () => {
  const listed = /^.{3}claude .*Fork of/
  await app.waitFor(new RegExp(listed, 'm'))
  const row = app.lines().findIndex((line) => listed.test(line))
  app.press('g', ...Array.from({ length: row - 4 }, () => 'j'), 'l')
  await app.waitFor('Label (empty: none)')
  app.press('the fast one', 'enter')
  await app.waitFor(/\[the fast one\] Fork of/)
  app.press('t')
  await app.waitFor(/[└├].*\[the fast one\] Fork of/)
  app.press('q', 'enter')
  expect(await app.waitFor(/\[the fast one\] Fork of .* 1 turn ·/)).toMatch(/1 turn · ⎇ offshoot\/session\//)
  expect(app.lines()[0]).toContain('1 the fast one')
  const again = openApp({ columns: 100, rows: 20, cwd: home.repository, env: { ...home.vars, NO_COLOR: '1' } })
  await again.waitFor(/\[the fast one\] Fork of/)
  again.press('ctrl+q')
  await again.ended
  app.press('/label', 'enter', 'ctrl+u', 'enter')
  await app.waitFor('The label is gone.')
  expect(app.lines()[0]).toContain('1 Fork of')
})
