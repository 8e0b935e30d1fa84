// A home that an older offshoot filled: what it said wrongly of the same file is right after the update, without a word from the user,
// and what only the database knows is still there.
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createOldHome, oldSessionId as id, type OldHome } from './old-home.ts'

const firstTurn = '00000000-0000-4000-8000-000000000001'

let home: OldHome
beforeEach(() => {
  home = createOldHome()
})
afterEach(() => home.remove())

async function json<T>(...args: string[]): Promise<T> {
  const { stdout, stderr, status } = await home.run([...args, '--json'])
  expect({ stderr, status }).toMatchObject({ status: 0 })
  return JSON.parse(stdout) as T
}

test('turns before a compaction and the title are right at once', async () => {
  const { sessions } = await json<{ sessions: object[] }>('sessions')
  expect(sessions).toMatchObject([{ id, title: 'Store the tasks in a file', turns: 3 }])
  const { turns } = await json<{ turns: { id: string; prompt: string }[] }>('turns', id)
  expect(turns.map(({ prompt }) => prompt.split('\n')[0])).toEqual([
    'Implement the following plan:',
    'Sort them by date.',
    'Write the tests.',
  ])
})

test('words that were lost are found, and what nobody typed is not', async () => {
  const { results: found } = await json<{ results: object[] }>('search', 'marmalade')
  expect(found).toMatchObject([{ session_id: id, turn: `claude:${id}@1` }])
  const { results: zebras } = await json<{ results: object[] }>('search', 'zebra')
  expect(zebras).toEqual([])
})

test('captures keep their turns', async () => {
  await home.run(['sessions'])
  const rows = home.query((db) => db.prepare('SELECT session_id, turn_id, moment FROM captures ORDER BY moment').all())
  expect(rows).toEqual([
    { session_id: id, turn_id: firstTurn, moment: 'end' },
    { session_id: id, turn_id: firstTurn, moment: 'start' },
  ])
  expect((await json<{ turns: { id: string }[] }>('turns', id)).turns[0]?.id).toBe(firstTurn)
})
