// How far something is that takes long: the catalogue reading files for the first time, a restore of many files.
import type { App } from '../app.ts'
import type { RefreshProgress } from '../model/catalog.ts'
import type { Context } from './context.ts'
import { createMeter, megabytes } from './meter.ts'

/**
 * Brings the catalogue up to date, showing how far it is when that takes long. False where nobody watches: then the question that
 * follows brings it up to date itself.
 */
export async function refreshWithMeter(context: Context, app: Pick<App, 'refresh'>): Promise<boolean> {
  if (context.out.meter === null) return false
  const meter = createMeter(context)
  await app.refresh((progress) => meter.show(() => describe(progress)))
  meter.clear()
  return true
}

/** How many files of a restore or its undo are done. */
export async function restoreWithMeter<T>(
  context: Context,
  work: (onProgress: (done: number, total: number) => void) => Promise<T>,
): Promise<T> {
  const meter = createMeter(context)
  try {
    return await work((done, total) => meter.show(() => `Restoring files: ${done} of ${total}`))
  } finally {
    meter.clear()
  }
}

function describe({ files, filesDone, bytes, bytesDone }: RefreshProgress): string {
  const percent = bytes === 0 ? 100 : Math.floor((bytesDone / bytes) * 100)
  return `Reading sessions: ${filesDone} of ${files} files, ${megabytes(bytesDone)} of ${megabytes(bytes)} MB (${percent} %)`
}
