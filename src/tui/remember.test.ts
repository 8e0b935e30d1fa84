import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { recallLayout, rememberLayout } from './remember.ts'
import { firstState } from './state-first.ts'
import { now, tabOf, withTab } from './states.testkit.ts'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'offshoot-layout-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

test('tabs and what was shown are there again; nothing of what was said is in the file', async () => {
  const path = join(folder, 'layout.json')
  const state = withTab({ ...tabOf(), dropped: 'a1', forkSeedId: 'f1' })
  await rememberLayout(path, state)
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  expect(await readFile(path, 'utf8')).not.toContain('Prompt number')
  const layout = await recallLayout(path)
  const again = firstState({ size: state.size, now, repository: null, layout })
  expect(again.shown).toBe('claude:one')
  // IN7: what was dropped once is shown when it is opened again.
  expect(again.tabs).toMatchObject([{ id: 'claude:one', title: 'Fix the flaky login test', dropped: null, forkSeedId: null }])
})

test('the model chosen for a tab is there again; what cannot be one is forgotten', async () => {
  const path = join(folder, 'layout.json')
  await rememberLayout(path, withTab({ ...tabOf(), model: { name: 'opus' } }))
  expect((await recallLayout(path))?.tabs).toMatchObject([{ model: { name: 'opus' } }])
  const text = await readFile(path, 'utf8')
  for (const model of ['5', '{"name":"-x"}', '{"name":"a\\u001b"}', '{}']) {
    await writeFile(path, text.replace('{"name":"opus"}', model))
    expect((await recallLayout(path))?.tabs).toMatchObject([{ model: null }])
  }
})

test.each([
  '',
  '{',
  'null',
  '[]',
  '{"tabs":5}',
  '{"tabs":[1,null,{"agent":"x"}]}',
  '{"tabs":[{"agent":"claude","sessionId":1}],"shown":7}',
])('a file of %j begins anew', async (text) => {
  const path = join(folder, 'layout.json')
  await writeFile(path, text)
  const layout = await recallLayout(path)
  expect(layout?.tabs ?? []).toEqual([])
  expect(firstState({ size: { columns: 80, rows: 24 }, now, repository: null, layout }).shown).toBe('sessions')
})

test('without a file there is none', async () => {
  expect(await recallLayout(join(folder, 'nowhere.json'))).toBeNull()
})
