// Runs in a thread of its own: hashes the one file it is given.
import { parentPort, workerData } from 'node:worker_threads'
import { hashFile } from './hash-file.ts'

export interface HashTask {
  readonly path: string
  readonly bytes: number
}

const { path, bytes } = workerData as HashTask

parentPort?.postMessage(await hashFile(path, bytes))
