// A session that grows while one reads in it: the window stays at the line one reads, and says that there is more below.
import { appendFileSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sampleIds } from '../../src/cli/demo/sample-sessions.ts'
import { createFixture, type Fixture } from '../cli/run-cli.ts'
import { type AppInPty, openApp } from './app-in-pty.ts'

let home: Fixture
let app: AppInPty

beforeAll(async () => {
  home = await createFixture()
  app = openApp({ columns: 80, rows: 16, cwd: home.repository, env: { ...home.vars, NO_COLOR: '1' } })
})
afterAll(async () => {
  app.kill('SIGKILL')
  await app.ended
  home.remove()
})

/** One more turn, written as Claude Code does: a prompt and an answer behind the last entry. */
function addTurn(number: number): void {
  const projects = join(home.home, '.claude', 'projects')
  const path = join(projects, readdirSync(projects)[0] ?? '', `${sampleIds.dueDates}.jsonl`)
  const entries = readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown> & { uuid?: string; type: string; message?: object })
  const last = entries.findLast(({ uuid }) => uuid !== undefined)
  const answer = entries.findLast(({ type }) => type === 'assistant')
  const id = (kind: number) => `00000000-0000-4000-8000-${String(number * 10 + kind).padStart(12, '0')}`
  const prompt = entries.find(({ type }) => type === 'user')
  const content = [{ type: 'text', text: `Answer number ${number} of the live one.` }]
  const added = [
    {
      ...prompt,
      uuid: id(1),
      parentUuid: last?.uuid,
      promptId: id(3),
      message: { role: 'user', content: `Live prompt ${number}` },
    },
    { ...answer, uuid: id(2), parentUuid: id(1), message: { ...answer?.message, id: `msg_live_${number}`, content } },
  ]
  appendFileSync(path, added.map((entry) => `${JSON.stringify(entry)}\n`).join(''))
}

const read = () => app.lines().slice(3, -4)

test('it stays where one reads, the marker counts on, and at the end it follows again', async () => {
  await app.waitFor('Give every task a due date.')
  app.press('/', 'sort the list by due date')
  await app.waitFor(/▌ .*Give every task a due date\./)
  app.press('enter')
  await app.waitFor(/● Sorted: tasks without a date come last[\s\S]*ask Claude/)
  addTurn(1)
  await app.waitFor('Answer number 1 of the live one.')
  app.press('tab', 'g')
  await app.waitFor(/❯ Give every task a due date\.[\s\S]*▼ \d+ more lines below/)
  const before = read()
  const marker = () => Number(/▼ (\d+) more lines below/.exec(app.screen())?.[1])
  const hidden = marker()
  addTurn(2)
  await app.waitFor(new RegExp(`▼ (?!${hidden} )\\d+ more lines below`))
  expect(read()).toEqual(before)
  expect(marker()).toBeGreaterThan(hidden)
  app.press('down')
  await app.waitFor(new RegExp(`▼ ${marker() - 1} more lines below`))
  expect(read().slice(0, -1)).toEqual(before.slice(1))
  app.press('G')
  await app.waitFor('Answer number 2 of the live one.')
  await app.waitWhile('more lines below')
  addTurn(3)
  await app.waitFor('Answer number 3 of the live one.')
})
