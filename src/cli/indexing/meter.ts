// How far indexing is.
import type { IndexProgress } from '../../model/search.ts'
import type { Context } from '../context.ts'
import { createMeter, megabytes } from '../meter.ts'

const quietMs = 400

export interface IndexMeter {
  show(progress: IndexProgress): void
  clear(): void
}

export function createIndexMeter(context: Context): IndexMeter {
  const { show, clear } = createMeter(context, quietMs)
  return { show: (progress) => show(() => describeProgress(progress)), clear }
}

function describeProgress({ files, filesDone, bytes, bytesDone, bytesPerSecond, leftMs }: IndexProgress): string {
  const percent = bytes === 0 ? 100 : Math.floor((bytesDone / bytes) * 100)
  const rate = bytesPerSecond === 0 ? '' : `, ${megabytes(bytesPerSecond)} MB/s`
  const left = leftMs === null ? '' : `, ${duration(leftMs)} left`
  return `Indexing, newest first: ${filesDone} of ${files} sessions, ${megabytes(bytesDone)} of ${megabytes(bytes)} MB (${percent} %)${rate}${left}`
}

function duration(ms: number): string {
  const seconds = Math.ceil(ms / 1000)
  return seconds < 100 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`
}
