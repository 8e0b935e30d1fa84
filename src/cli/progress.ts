// How far the catalogue is while it reads files for the first time.
import type { App } from '../app.ts'
import type { RefreshProgress } from '../model/catalog.ts'
import type { Context } from './context.ts'
import { createMeter, megabytes } from './meter.ts'

const quietMs = 1000

/**
 * Brings the catalogue up to date, showing how far it is when that takes long. False where nobody watches: then the question that
 * follows brings it up to date itself.
 */
export async function refreshWithMeter(context: Context, app: Pick<App, 'refresh'>): Promise<boolean> {
  if (context.out.meter === null) return false
  const meter = createMeter(context, quietMs)
  await app.refresh((progress) => meter.show(() => describe(progress)))
  meter.clear()
  return true
}

function describe({ files, filesDone, bytes, bytesDone }: RefreshProgress): string {
  const percent = bytes === 0 ? 100 : Math.floor((bytesDone / bytes) * 100)
  return `Reading sessions: ${filesDone} of ${files} files, ${megabytes(bytesDone)} of ${megabytes(bytes)} MB (${percent} %)`
}
