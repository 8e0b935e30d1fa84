// A pane may close by itself after we looked, perhaps as the last one of its server.
import { AppError } from '../model/error.ts'

/** `null` where the pane is gone: who closes it, or asks what became of it, has the answer. */
export async function orGone<T>(asking: Promise<T>): Promise<T | null> {
  try {
    return await asking
  } catch (error) {
    if (error instanceof AppError && error.code === 'pane_gone') return null
    throw error
  }
}
