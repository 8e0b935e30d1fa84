// A session that grows while one reads in it: the window stays at the line one reads, and says that there is more below.
import { appendFileSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { openDueDates, useHome } from './tui-home.ts'

const home = useHome()

/** One more turn, written as Claude Code does: a prompt and an answer behind the last entry. */
function addTurn(number: number): void {
  const entries = readFileSync(home.transcript, 'utf8')
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
  appendFileSync(home.transcript, added.map((entry) => `${JSON.stringify(entry)}\n`).join(''))
}

test('it stays where one reads, the marker counts on, and at the end it follows again', async () => {
  const app = home.open({ columns: 80, rows: 16 })
  const read = () => app.lines().slice(3, -4)
  await openDueDates(app)
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
