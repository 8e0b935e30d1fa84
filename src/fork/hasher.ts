// Hashes files while the fork goes on: large ones in a thread of its own. Where no thread can be had they are hashed here:
// a thread can only make this faster.
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { hashFile } from './hash-file.ts'
import type { HashAnswer, HashTask } from './hash-thread.ts'

/** A thread takes 30 ms to start: as long as 40 MB take to be hashed. */
const threadBytes = 32 << 20

export interface Hasher {
  /** The hash of the first bytes; `null` when the file is shorter now. */
  hash(path: string, bytes: number): Promise<string | null>
  close(): void
}

export function createHasher(): Hasher {
  let thread: ReturnType<typeof startThread> | undefined
  return {
    async hash(path, bytes) {
      if (bytes >= threadBytes) {
        thread ??= startThread()
        const hash = await thread.hash(path, bytes)
        if (hash !== undefined) return hash
      }
      return hashFile(path, bytes)
    },
    close() {
      thread?.end()
    },
  }
}

function startThread() {
  const worker = new Worker(new URL(`./hash-thread${extname(import.meta.url)}`, import.meta.url))
  const waiting = new Map<number, (hash: string | null | undefined) => void>()
  let tasks = 0
  let ended = false
  worker.on('message', ({ number, hash }: HashAnswer) => {
    waiting.get(number)?.(hash)
    waiting.delete(number)
  })
  worker.on('error', () => undefined) // `exit` follows
  worker.on('exit', () => {
    ended = true
    for (const answer of waiting.values()) answer(undefined)
  })
  return {
    /** `undefined` when the thread failed. */
    hash(path: string, bytes: number): Promise<string | null | undefined> {
      if (ended) return Promise.resolve(undefined)
      return new Promise((answer) => {
        tasks += 1
        waiting.set(tasks, answer)
        worker.postMessage({ number: tasks, path, bytes } satisfies HashTask)
      })
    },
    end: () => void worker.terminate(),
  }
}
