import { expect, test } from 'vitest'
import type { App } from '../app.ts'
import { AppError } from '../model/error.ts'
import type { TuiEvent } from './events.ts'
import { createEffects } from './run-effects.ts'

test('a fork of a worker that has to be accepted names the command that shows its plan and asks', async () => {
  const forkWorker = async () => {
    throw new AppError('confirm_needed', 'This needs to be accepted', { hint: 'Accept with "accept": code_approximate.' })
  }
  const heard = new Promise<Omit<TuiEvent, 'at'>>((resolve) => {
    const runEffect = createEffects({
      app: { forkWorker } as Partial<App> as App,
      repository: null,
      tell: resolve,
      state: notAsked,
      handOver: async () => 0,
      write: notAsked,
      suspend: notAsked,
      remember: notAsked,
      listFiles: async () => [],
      quit: notAsked,
    })
    runEffect({ kind: 'fork_worker', name: 'owl', newName: 'second' })
  })
  expect(await heard).toMatchObject({
    kind: 'failed',
    message: 'This needs to be accepted',
    hint: 'To see the plan and accept it, run in a shell: offshoot fork worker:owl second',
  })
})

function notAsked(): never {
  throw new Error('not asked for')
}
