// Preloaded (`NODE_OPTIONS=--import`) into the program under test and all it starts: each process notes itself in the folder STUCK_NOTES and
// blocks its main thread for ever once a file `<pid>.block` appears there.
import { execFileSync } from 'node:child_process'
import { existsSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isMainThread } from 'node:worker_threads'

const folder = process.env.STUCK_NOTES
if (isMainThread && folder !== undefined) {
  const { pid, ppid, argv } = process
  const note = join(folder, String(pid))
  writeFileSync(`${note}.tmp`, JSON.stringify({ pid, ppid, argv }))
  renameSync(`${note}.tmp`, `${note}.json`)
  setInterval(() => existsSync(`${note}.block`) && block(readFileSync(`${note}.block`, 'utf8')), 20).unref()

  function block(how) {
    writeFileSync(`${note}.blocked`, how)
    if (how === 'in a system call') {
      execFileSync('mkfifo', [`${note}.fifo`])
      openSync(`${note}.fifo`)
    }
    for (;;);
  }
}
