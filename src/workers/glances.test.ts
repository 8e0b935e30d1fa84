import { expect, test } from 'vitest'
import type { WorkerRecord } from '../store/workers.ts'
import type { PaneRef, PaneStatus, Terminal } from '../terminals/terminal.ts'
import { createGlances } from './glances.ts'

const running: PaneStatus = { state: 'running', exitStatus: null, signal: null, pid: 1, procStart: null, inputBlocked: false }
const paneOf = (tag: string): PaneRef => ({ terminal: 'tmux', server: '/s', serverPid: 1, id: `%${tag}`, tag, job: '' })
const records = ['a', 'b'].map((tag) => ({ id: tag, pane: paneOf(tag) }) as WorkerRecord)

/** A terminal whose panes show what a test says, and which counts what it is asked. */
function createTerminal() {
  const shown = new Map(['a', 'b'].map((tag) => [tag, { mark: '100', line: `${tag} 1`, status: running }]))
  const asked: string[] = []
  const terminal: Pick<Terminal, 'view' | 'glance'> = {
    async glance(panes) {
      asked.push(`glance ${panes.map(({ tag }) => tag).join()}`)
      return new Map(
        panes.map(({ tag }) => [tag, { status: shown.get(tag)?.status ?? running, mark: shown.get(tag)?.mark ?? '' }]),
      )
    },
    async view({ tag }) {
      asked.push(`view ${tag}`)
      return { status: running, screen: { lines: [shown.get(tag)?.line ?? ''], title: '' } }
    },
  }
  const take = createGlances(async () => terminal as Terminal)
  const look = async () => {
    asked.length = 0
    const views = await take(records)
    return { asked: [...asked], lines: ['a', 'b'].map((tag) => views.get(tag)?.screen?.lines[0]), views }
  }
  return { shown, look }
}

test('idle panes cost one question in all, however many they are', async () => {
  const { look } = createTerminal()
  expect((await look()).asked).toEqual(['glance a,b', 'view a', 'view b'])
  // What was written later in the second of the mark is not missed.
  expect((await look()).asked).toEqual(['glance a,b', 'view a', 'view b'])
  const third = await look()
  expect(third).toMatchObject({ asked: ['glance a,b'], lines: ['a 1', 'b 1'] })
})

test('what is written in the second that was looked at already is seen with the next look', async () => {
  const { shown, look } = createTerminal()
  await look()
  shown.set('a', { mark: '100', line: 'a asks', status: running })
  expect((await look()).lines).toEqual(['a asks', 'b 1'])
})

test('only the screen on which something was written is read again', async () => {
  const { shown, look } = createTerminal()
  for (let times = 0; times < 3; times += 1) await look()
  shown.set('b', { mark: '107', line: 'b asks', status: running })
  expect(await look()).toMatchObject({ asked: ['glance a,b', 'view b'], lines: ['a 1', 'b asks'] })
  expect((await look()).asked).toEqual(['glance a,b', 'view b'])
  expect((await look()).asked).toEqual(['glance a,b'])
})

test('the end of one is told without its screen', async () => {
  const { shown, look } = createTerminal()
  for (let times = 0; times < 3; times += 1) await look()
  shown.set('a', { mark: '', line: '', status: { ...running, state: 'gone' } })
  const { asked, views } = await look()
  expect(asked).toEqual(['glance a,b'])
  expect(views.get('a')).toEqual({ status: { ...running, state: 'gone' }, screen: null })
})
