// A fork as a row of steps, each written down with its undo before it runs: what is cut off anywhere can be taken back.
import { errorMessage } from '../lib/error-message.ts'
import { explainMachine } from '../lib/machine-fault.ts'
import { AppError } from '../model/error.ts'
import { withLock } from '../store/lock.ts'
import type { ForkContext } from './context.ts'
import { takeBack, type Undo } from './take-back.ts'

export interface Saga {
  /** `amend` replaces the undo while the step runs, as soon as more is known of what it makes. */
  step<T>(name: string, undo: Undo, work: (amend: (undo: Undo) => void) => Promise<T> | T): Promise<T>
}

/** Whatever fails, all that was made is taken back. */
export async function runSaga<T>(context: ForkContext, forkId: string, work: (saga: Saga) => Promise<T>): Promise<T> {
  try {
    return await work(createSaga(context, forkId))
  } catch (error) {
    await takeAllBack(context, forkId, error)
    throw explainMachine(error)
  }
}

function createSaga(context: ForkContext, forkId: string): Saga {
  let position = 0
  return {
    async step(name, undo, work) {
      const at = position
      position += 1
      const store = context.store()
      store.write(() => store.journal.begin(forkId, at, name, undo, context.now()))
      context.onStep?.(`${name} begun`)
      const result = await work((amended) => context.store().journal.setUndo(forkId, at, amended))
      context.onStep?.(`${name} worked`)
      context.store().journal.finish(forkId, at)
      context.onStep?.(`${name} done`)
      return result
    },
  }
}

async function takeAllBack(context: ForkContext, forkId: string, fault: unknown): Promise<void> {
  try {
    await rollBack(context, forkId)
  } catch (error) {
    const said = [fault, error].map((each) => errorMessage(explainMachine(each)))
    throw new AppError('failed', `${said[0]}\nWhat had been made of the fork ${forkId} could not be removed: ${said[1]}`, {
      cause: fault,
      hint: 'Run `offshoot doctor --fix` once the reason is gone.',
    })
  }
}

/** In reverse; each step is struck off once it is taken back, so that this too may be cut off. Returns what stays, and why. */
export async function rollBack(context: ForkContext, forkId: string): Promise<string[]> {
  const kept: string[] = []
  for (const { position, undo } of context.store().journal.stepsOf(forkId).reverse()) {
    kept.push(...(await takeBack(context, forkId, undo as Undo)))
    context.store().journal.remove(forkId, position)
    context.onStep?.(`taken back ${position}`)
  }
  return kept
}

/** Held while a fork is worked on; the system gives it back when its holder dies. `null`: another process is at it. */
export function withForkLock<T>(context: ForkContext, forkId: string, work: () => Promise<T>): Promise<T | null> {
  return withLock(context.folder, `fork-${forkId}`, work)
}

export function busyFork(forkId: string): AppError {
  return new AppError('busy', `Another process is working on the fork ${forkId}.`, { hint: 'Try again in a moment.' })
}
