// To close what is closed already is no error.
import { AppError } from '../model/error.ts'

/** A pane may close by itself after we looked, perhaps as the last one of its server. */
export async function unlessGone(closing: Promise<unknown>): Promise<void> {
  try {
    await closing
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'pane_gone')) throw error
  }
}
