import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { AppError } from '../../model/error.ts'
import type { IndexReport, SearchAnswer } from '../../model/search.ts'
import { recordContext } from '../test-output.testkit.ts'
import { makeAnswer, makeResult } from './result.testkit.ts'
import { searchWhileIndexing } from './search-while-indexing.ts'

const report: IndexReport = { busy: false, stopped: false, sessions: 1, removed: 0, chunks: 1, problems: [] }
const scored = (score: number, changes: Partial<SearchAnswer> = {}) =>
  makeAnswer('x', [makeResult('aaaaaaaa', { score })], changes)

/** An app that indexes until it is told to stop (or is done at once) and answers better every time it is asked. */
function fakeApp(answers: readonly (SearchAnswer | Error)[], isDone = false) {
  const asked: unknown[] = []
  return {
    asked,
    listSessions: async () => [makeResult('aaaaaaaa').session],
    refresh: async () => ({ sessions: 1, changed: 0, removed: 0, problems: [] }),
    updateIndex: async ({ signal }: { readonly signal?: AbortSignal } = {}) => {
      if (isDone) return report
      await new Promise((resolve) => signal?.addEventListener('abort', resolve))
      return { ...report, stopped: true }
    },
    search: async (_query: unknown, options: unknown) => {
      asked.push(options)
      const answer = answers[asked.length - 1] ?? scored(0.1)
      if (answer instanceof Error) throw answer
      return answer
    },
  }
}

const run = (app: ReturnType<typeof fakeApp>, times: readonly number[] = [0]) => {
  let at = 0
  const now = () => times[Math.min(at++, times.length - 1)] ?? 0
  const { context } = recordContext({ home: tmpdir(), now })
  return searchWhileIndexing(context, app, { text: 'x' }, 5)
}

test('an index that is up to date is asked once', async () => {
  const app = fakeApp([scored(0.1)], true)
  expect(await run(app)).toMatchObject({ isCutOff: false, answer: { results: [{ score: 0.1 }] } })
  expect(app.asked).toEqual([{ updateMs: 0 }])
})

test('while it is built, the first useful answer ends the waiting', async () => {
  const app = fakeApp([scored(0.2), makeAnswer('x', []), scored(0.7)])
  expect(await run(app)).toMatchObject({ isCutOff: true, answer: { results: [{ score: 0.7 }] } })
  expect(app.asked).toHaveLength(3)
})

test('after a while the best there is has to do', async () => {
  const app = fakeApp([scored(0.2), scored(0.3)])
  expect(await run(app, [0, 0, 0, 60_000])).toMatchObject({ isCutOff: true })
  expect(app.asked.length).toBeLessThan(9)
})

test('qmd is asked once: it does not wait for our index', async () => {
  const app = fakeApp([scored(0.2, { engine: 'qmd' })])
  await run(app)
  expect(app.asked).toHaveLength(1)
})

test('a fault ends the indexing too', async () => {
  const app = fakeApp([new AppError('store_busy', 'busy')])
  await expect(run(app)).rejects.toMatchObject({ code: 'store_busy' })
})
