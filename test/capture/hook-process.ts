// Runs the hook program as an agent does: a process with the payload on stdin, in surroundings of its own.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export interface HookRun {
  readonly stdout: string
  readonly stderr: string
  readonly status: number | null
  readonly signal: NodeJS.Signals | null
}

export interface HookCall {
  readonly agent?: string
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** An object is sent as JSON. */
  readonly payload: unknown
  /** Kill -9 when this step is reached, the n-th time (`after end`, `git write-tree#2`). */
  readonly dieAt?: string
  readonly limitMs?: number
  readonly args?: readonly string[]
}

const program = fileURLToPath(new URL('../../bin/hook.js', import.meta.url))
const stopped = fileURLToPath(new URL('./hook-child.ts', import.meta.url))

/** The built program; one that is to be cut off runs from the sources. */
export function runHookProcess({ agent = 'claude', cwd, env, payload, dieAt, limitMs, args = [] }: HookCall): Promise<HookRun> {
  if (!existsSync(fileURLToPath(new URL('../../dist/capture/hook.js', import.meta.url))))
    throw new Error('build first: npm run build')
  const own = dieAt === undefined && limitMs === undefined
  const argv = own ? [program, agent, ...args] : ['--import', 'tsx', stopped, agent, dieAt ?? '', String(limitMs ?? '')]
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, argv, { cwd, env: { ...env }, stdio: 'pipe' })
    let [stdout, stderr] = ['', '']
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
    child.stdin.on('error', () => undefined) // it may be gone before it has read everything
    child.stdin.end(typeof payload === 'string' || Buffer.isBuffer(payload) ? payload : JSON.stringify(payload))
    child.on('error', reject)
    child.on('close', (status, signal) => resolve({ stdout, stderr, status, signal }))
  })
}
