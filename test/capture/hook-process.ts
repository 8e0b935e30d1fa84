// Runs the built hook program as an agent does: a process with the payload on stdin, in surroundings of its own.
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
  /** Text and bytes as they are, an object as JSON; `null`: stdin stays open without a word. */
  readonly payload: unknown
  readonly args?: readonly string[]
  /** Run through this program (`unshare ...`). */
  readonly through?: readonly string[]
  /** The program itself, which also starts what follows a capture. */
  readonly whole?: boolean
  /** Steps are told on stdout, and it kills itself at this one (`after end#1`). */
  readonly dieAt?: string
  readonly limitMs?: number
}

/** The limit of its own is there for an agent that waits; how busy this machine is must decide nothing. */
const patientMs = 100_000
const program = fileURLToPath(new URL('../../bin/hook.js', import.meta.url))
const told = fileURLToPath(new URL('./hook-child.mjs', import.meta.url))
const built = fileURLToPath(new URL('../../dist/capture/hook.js', import.meta.url))

export function runHookProcess(call: HookCall): Promise<HookRun> {
  if (!existsSync(built)) throw new Error('build first: npm run build')
  const { agent = 'claude', cwd, env, payload, args = [], through = [], whole = false, dieAt = '', limitMs = patientMs } = call
  const hook = whole ? [program, agent, ...args] : [told, agent, dieAt, String(limitMs), ...args]
  const [command = '', ...rest] = [...through, process.execPath, ...hook]
  return new Promise((resolve, reject) => {
    const child = spawn(command, rest, { cwd, env: { ...env }, stdio: 'pipe' })
    let [stdout, stderr] = ['', '']
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text
    })
    child.stdin.on('error', () => undefined) // it may be gone before it has read everything
    if (typeof payload === 'string' || Buffer.isBuffer(payload)) child.stdin.end(payload)
    else if (payload !== null) child.stdin.end(JSON.stringify(payload))
    child.on('error', reject)
    child.on('close', (status, signal) => resolve({ stdout, stderr, status, signal }))
  })
}
