// One repository or workspace that git cannot be asked about must not stop the look at all the others.
import type { Garbage } from '../../model/capture.ts'
import { AppError } from '../../model/error.ts'
import type { Finding } from './gc.ts'

/** What is found in one place; a place that cannot be looked at is named, and does not stop the others. */
export async function orPassOver(about: Omit<Garbage, 'reason' | 'bytes'>, find: () => Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await find()
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return [{ ...about, bytes: 0, reason: `passed over: ${error.message}`, remove: null }]
  }
}
