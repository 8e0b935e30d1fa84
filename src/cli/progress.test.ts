import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import type { App } from '../app.ts'
import type { RefreshProgress } from '../model/catalog.ts'
import { refreshWithMeter } from './progress.ts'
import { recordContext } from './test-output.testkit.ts'

/** An app whose refresh tells its progress once for every time on the clock. */
function slowApp(clock: { now: number }, times: readonly number[]) {
  const asked: number[] = []
  const refresh = async (onProgress?: unknown) => {
    asked.push(1)
    for (const [index, time] of times.entries()) {
      clock.now = time
      const progress: RefreshProgress = { files: times.length, filesDone: index + 1, bytes: 2e6, bytesDone: 1e6 }
      if (typeof onProgress === 'function') onProgress(progress)
    }
  }
  return { app: { refresh } as unknown as App, asked }
}

test('a quick refresh draws nothing', async () => {
  const clock = { now: 0 }
  const { context, stderr } = recordContext({ home: tmpdir(), isTerminal: true, now: () => clock.now })
  await refreshWithMeter(context, slowApp(clock, [10, 500, 900]).app)
  expect(stderr()).toBe('')
})

test('a slow one shows how far it is, and leaves a clean line', async () => {
  const clock = { now: 0 }
  const { context, stderr } = recordContext({ home: tmpdir(), isTerminal: true, now: () => clock.now })
  await refreshWithMeter(context, slowApp(clock, [900, 1100, 1150, 2000]).app)
  expect(stderr().split('\r\u001b[K')).toEqual([
    '',
    'Reading sessions: 2 of 4 files, 1.0 of 2.0 MB (50 %)',
    'Reading sessions: 4 of 4 files, 1.0 of 2.0 MB (50 %)',
    '',
  ])
})

test('without a terminal nothing is drawn, and the query itself refreshes', async () => {
  const clock = { now: 0 }
  const { context, stderr } = recordContext({ home: tmpdir() })
  const { app, asked } = slowApp(clock, [5000])
  await refreshWithMeter(context, app)
  expect(asked).toEqual([])
  expect(stderr()).toBe('')
})
