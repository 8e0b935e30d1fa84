// Looks at a path without following a link at its end; that nothing is there is an answer.
import type { BigIntStats } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { fileErrorCode, isMissing } from '../lib/file-errors.ts'

/** Behind a link that leads to itself (ELOOP) there is nothing either. */
export async function look(path: string | Buffer): Promise<BigIntStats | null> {
  try {
    return await lstat(path, { bigint: true })
  } catch (error) {
    if (isMissing(error) || fileErrorCode(error) === 'ELOOP') return null
    throw error
  }
}
