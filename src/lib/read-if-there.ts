// A text that need not be there.
import { readFileSync } from 'node:fs'
import { isMissing } from './file-errors.ts'

export function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}
