// The child's side of supervise.ts: ends this process when its supervisor is gone, however that ended.
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { stopGraceMs, supervisorVariable } from './supervise.ts'

/**
 * In a thread, because the main thread may be stuck when it happens. Returns the supervisor's process number; nothing that this process
 * starts sees the variable.
 */
export function endWithSupervisor(): number {
  const pid = Number(process.env[supervisorVariable])
  delete process.env[supervisorVariable]
  const thread = new Worker(new URL(`./supervised-thread${extname(import.meta.url)}`, import.meta.url), {
    workerData: { stopGraceMs },
  })
  thread.on('error', () => undefined) // without a thread or a descriptor 3 the server runs all the same
  thread.unref()
  return pid
}
