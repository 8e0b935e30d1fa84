// Waiting for what another process does, in tests of terminals.
import { rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileErrorCode } from '../lib/file-errors.ts'

/** Waits for what will be; only what hangs runs into the limit. */
export async function until<T>(what: string, look: () => T | Promise<T>): Promise<Exclude<T, false | undefined | null | ''>> {
  for (let tries = 0; tries < 800; tries += 1) {
    const seen = await look()
    if (seen) return seen as Exclude<T, false | undefined | null | ''>
    await sleep(25)
  }
  throw new Error(`Waited in vain for ${what}`)
}

/** What has just been ended may still write its last words there. */
export async function removeFolder(folder: string): Promise<void> {
  await until(`${folder} to be removed`, () => {
    try {
      rmSync(folder, { recursive: true, force: true })
      return true
    } catch (error) {
      if (fileErrorCode(error) === 'ENOTEMPTY') return false
      throw error
    }
  })
}
