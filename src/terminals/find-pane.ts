// The pane of an opener that was killed before it could write down what it had opened: by what the launcher wrote in its job's folder.
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isMissing } from '../lib/file-errors.ts'
import { jobFolder, readEnded, readStarted } from './job.ts'
import type { PaneRef, Terminal } from './terminal.ts'
import { startMs } from './wait-started.ts'

/** `opening`: the terminal may have been told already, and the launcher still comes. */
export async function findPane(
  folder: string,
  terminal: Terminal,
  tag: string,
  now: number,
): Promise<PaneRef | 'opening' | null> {
  const job = jobFolder(folder, tag)
  const writtenAt = await timeOf(join(job, 'job.json'))
  if (writtenAt === null) return null
  if (terminal.id === 'print') return { terminal: 'print', server: '', serverPid: null, id: tag, tag, job }
  const started = await readStarted(job)
  if (started === null) return now - writtenAt < startMs && (await readEnded(job)) === null ? 'opening' : null
  const place = terminal.locate(started)
  return place === null ? null : { terminal: terminal.id, ...place, tag, job }
}

async function timeOf(path: string): Promise<number | null> {
  try {
    return (await stat(path)).mtimeMs
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}
