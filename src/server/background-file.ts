// The status of the background process as other commands find it: doctor and `index --status` ask without the server.
import { join } from 'node:path'
import { isMissing } from '../lib/file-errors.ts'
import { isAlive } from '../lib/is-alive.ts'
import { readRegularText } from '../lib/regular-file.ts'
import type { BackgroundStatus } from '../model/background.ts'

export const backgroundFile = 'background.json'

/** `null`: no server keeps an index here now. */
export function readBackground(folder: string): BackgroundStatus | null {
  try {
    const { server_pid: pid, status } = JSON.parse(readRegularText(join(folder, backgroundFile)))
    return Number.isInteger(pid) && isAlive(pid) ? status : null
  } catch (error) {
    if (isMissing(error) || error instanceof SyntaxError || error instanceof TypeError) return null
    throw error
  }
}
