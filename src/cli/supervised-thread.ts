// The thread of supervised.ts. It asks the main thread to stop in order, and kills the process where that does not happen.
import { Socket } from 'node:net'
import { workerData } from 'node:worker_threads'

const { stopGraceMs } = workerData as { readonly stopGraceMs: number }
const supervisor = new Socket({ fd: 3, readable: true, writable: false })
supervisor.on('error', () => undefined) // `close` follows
supervisor.on('close', () => {
  process.kill(process.pid, 'SIGTERM')
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), stopGraceMs)
})
supervisor.resume()
