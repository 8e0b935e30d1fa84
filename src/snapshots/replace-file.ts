// Puts a file in place of another as a whole: whoever reads it sees the old one or the new one.
import { rename, rm, utimes, writeFile } from 'node:fs/promises'

export interface ReplaceOptions {
  /** The time it shall show. */
  readonly mtimeSeconds?: number
}

/** Only one process at a time writes the files this is used for; what a killed one left beside is overwritten. */
export async function replaceFile(path: string, content: Buffer | string, { mtimeSeconds }: ReplaceOptions = {}): Promise<void> {
  const beside = `${path}.new`
  try {
    await writeFile(beside, content, { mode: 0o600 })
    if (mtimeSeconds !== undefined) await utimes(beside, mtimeSeconds, mtimeSeconds)
    await rename(beside, path)
  } catch (error) {
    await rm(beside, { force: true })
    throw error
  }
}
