// Runs in a thread of its own: hashes the files it is told of, one after the other.
import { parentPort } from 'node:worker_threads'
import { hashFile } from './hash-file.ts'

export interface HashTask {
  readonly number: number
  readonly path: string
  readonly bytes: number
}

export interface HashAnswer {
  readonly number: number
  readonly hash: string | null
}

parentPort?.on('message', async ({ number, path, bytes }: HashTask) => {
  // A fault ends the thread; what it had not answered is hashed by the caller.
  parentPort?.postMessage({ number, hash: await hashFile(path, bytes) } satisfies HashAnswer)
})
