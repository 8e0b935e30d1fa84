// A one-line meter on stderr while the catalogue reads files for the first time. Only for a person, only after a second.
import type { App } from '../app.ts'
import type { RefreshProgress } from '../model/catalog.ts'
import type { Context } from './context.ts'

const quietMs = 1000
const redrawMs = 100

/** Brings the catalogue up to date, showing how far it is when that takes long. */
/** False where nobody watches: then the question that follows brings the catalogue up to date itself. */
export async function refreshWithMeter(context: Context, app: Pick<App, 'refresh'>): Promise<boolean> {
  const { meter } = context.out
  if (meter === null) return false
  const startedAt = context.now()
  let drawnAt = 0
  await app.refresh((progress) => {
    const now = context.now()
    if (now - startedAt < quietMs || now - drawnAt < redrawMs) return
    drawnAt = now
    meter.write(`\r\u001b[K${describe(progress)}`)
  })
  if (drawnAt > 0) meter.write('\r\u001b[K')
  return true
}

function describe({ files, filesDone, bytes, bytesDone }: RefreshProgress): string {
  const percent = bytes === 0 ? 100 : Math.floor((bytesDone / bytes) * 100)
  return `Reading sessions: ${filesDone} of ${files} files, ${megabytes(bytesDone)} of ${megabytes(bytes)} MB (${percent} %)`
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(bytes < 1e8 ? 1 : 0)
}
