// Indexing that was cut off for a quick answer goes on in a process of its own, so that the next search has everything. The
// index has one lock: where another process is at it, this one ends at once.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Context } from '../context.ts'

const program = fileURLToPath(new URL('../../../bin/offshoot.js', import.meta.url))

/** Gives its process, or `null`: an index that stays as it is for now is no fault. */
export function indexOn({ vars, home, log }: Pick<Context, 'vars' | 'home' | 'log'>): number | null {
  try {
    const env = { ...vars, OFFSHOOT_INTERNAL: '1' }
    const child = spawn(process.execPath, [program, 'index'], { cwd: home, env, stdio: 'ignore', detached: true })
    child.on('error', (error) => log.write('warn', 'indexing on failed', { error }))
    child.unref()
    return child.pid ?? null
  } catch (error) {
    log.write('warn', 'indexing on failed', { error: error instanceof Error ? error : String(error) })
    return null
  }
}
