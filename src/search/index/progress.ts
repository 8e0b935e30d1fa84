// How far an update is: files, bytes, the rate of the last moments and the time that is left by it.
import type { IndexProgress } from '../../model/search.ts'
import type { SessionWork } from './wanted.ts'

const tellMs = 100

export function createProgress(work: readonly SessionWork[], onProgress?: (progress: IndexProgress) => void) {
  const files = work.length
  const bytes = work.reduce((sum, { session }) => sum + session.bytes, 0)
  const startedAt = performance.now()
  let filesDone = 0
  let bytesDone = 0
  let toldAt = Number.NEGATIVE_INFINITY
  return {
    done(fileBytes: number): void {
      filesDone += 1
      bytesDone += fileBytes
      const at = performance.now()
      if (onProgress === undefined || (at - toldAt < tellMs && filesDone < files)) return
      toldAt = at
      const elapsedMs = at - startedAt
      const bytesPerSecond = elapsedMs === 0 ? 0 : Math.round((bytesDone * 1000) / elapsedMs)
      const leftMs = bytesPerSecond === 0 ? null : Math.round(((bytes - bytesDone) * 1000) / bytesPerSecond)
      onProgress({ files, filesDone, bytes, bytesDone, bytesPerSecond, leftMs })
    },
  }
}
