// Hashes a large file in a thread of its own while the fork goes on here. Where no thread can be had, and for a small file, it is
// hashed here: threads can only make this faster.
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { hashFile } from './hash-file.ts'
import type { HashTask } from './hash-thread.ts'

/** A thread takes 30 ms to start: as long as 40 MB take to be hashed. */
const threadBytes = 32 << 20

/** `null` when the file is shorter now than it was. */
export async function hashAside(path: string, bytes: number): Promise<string | null> {
  const hashed = bytes < threadBytes ? undefined : await hashInThread({ path, bytes })
  return hashed === undefined ? hashFile(path, bytes) : hashed
}

/** `undefined` when there is no thread, or it failed. */
function hashInThread(task: HashTask): Promise<string | null | undefined> {
  return new Promise((done) => {
    const worker = new Worker(new URL(`./hash-thread${extname(import.meta.url)}`, import.meta.url), { workerData: task })
    worker.on('message', done)
    worker.on('error', () => undefined) // `exit` follows
    worker.on('exit', () => done(undefined))
  })
}
