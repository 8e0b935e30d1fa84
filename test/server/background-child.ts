// A server that only has a background process, for the test that kills it: tells that process' id when it runs.
import { join } from 'node:path'
import { createLog } from '../../src/lib/log.ts'
import { startBackground } from '../../src/server/background.ts'

const [home = '', folder = ''] = process.argv.slice(2)
const log = createLog({ folder: join(folder, 'logs'), now: Date.now })
const background = startBackground({ home, vars: process.env, folder, now: Date.now, log, onProgress: () => undefined })
const timer = setInterval(() => {
  const { state, pid } = background.status()
  if (state !== 'running') return
  clearInterval(timer)
  process.send?.(pid)
}, 50)
