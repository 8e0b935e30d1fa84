// How far indexing is, as one line on stderr that overwrites itself. Only for a person, and only when it takes a moment.
import type { IndexProgress } from '../../model/search.ts'
import type { Context } from '../context.ts'

const quietMs = 400
const redrawMs = 100

export interface IndexMeter {
  show(progress: IndexProgress): void
  clear(): void
}

export function createIndexMeter({ out: { meter }, now }: Context): IndexMeter {
  const startedAt = now()
  let drawnAt = 0
  return {
    show(progress) {
      const at = now()
      if (meter === null || at - startedAt < quietMs || at - drawnAt < redrawMs) return
      drawnAt = at
      meter.write(`\r\u001b[K${describeProgress(progress)}`)
    },
    clear() {
      if (drawnAt > 0) meter?.write('\r\u001b[K')
      drawnAt = 0
    },
  }
}

function describeProgress({ files, filesDone, bytes, bytesDone, bytesPerSecond, leftMs }: IndexProgress): string {
  const percent = bytes === 0 ? 100 : Math.floor((bytesDone / bytes) * 100)
  const rate = bytesPerSecond === 0 ? '' : `, ${megabytes(bytesPerSecond)} MB/s`
  const left = leftMs === null ? '' : `, ${duration(leftMs)} left`
  return `Indexing, newest first: ${filesDone} of ${files} sessions, ${megabytes(bytesDone)} of ${megabytes(bytes)} MB (${percent} %)${rate}${left}`
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(bytes < 1e8 ? 1 : 0)
}

function duration(ms: number): string {
  const seconds = Math.ceil(ms / 1000)
  return seconds < 100 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`
}
