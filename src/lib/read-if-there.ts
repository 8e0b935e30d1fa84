// A text that need not be there.
import { isMissing } from './file-errors.ts'
import { readRegularText } from './regular-file.ts'

export function readIfThere(path: string): string | null {
  try {
    return readRegularText(path)
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}
