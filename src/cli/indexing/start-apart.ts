// Work that nobody waits for, in a process of its own. Each kind has one lock: where another process is at it, this one ends.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Context } from '../context.ts'

const program = fileURLToPath(new URL('../../../bin/offshoot.js', import.meta.url))

/** Gives its process, or `null`: what stays undone for now is no fault. */
export function startApart({ vars, home, log }: Pick<Context, 'vars' | 'home' | 'log'>, command: string): number | null {
  try {
    const env = { ...vars, OFFSHOOT_INTERNAL: '1' }
    const child = spawn(process.execPath, [program, command], { cwd: home, env, stdio: 'ignore', detached: true })
    child.on('error', (error) => log.write('warn', `${command} could not be started`, { error }))
    child.unref()
    return child.pid ?? null
  } catch (error) {
    log.write('warn', `${command} could not be started`, { error: error instanceof Error ? error : String(error) })
    return null
  }
}
