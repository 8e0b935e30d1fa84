// Runs processes and compares them: warm-up first, then runs that alternate between the two sides, so that whatever else the
// machine does hits both; medians, never means.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export interface Run {
  readonly ms: number
  readonly stdout: string
}

export interface Command {
  readonly argv: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  /** Done before each run, outside the measured time. */
  readonly before?: () => void
  /** Throws when the run did not do the whole work: a quick wrong answer must never count as a quick one. */
  readonly check?: (stdout: string) => void
}

export const repo = fileURLToPath(new URL('..', import.meta.url))
export const offshoot = fileURLToPath(new URL('../bin/offshoot.js', import.meta.url))
export const subject = (name: string): string => fileURLToPath(new URL(`./subjects/${name}.mjs`, import.meta.url))

export function runProcess({ argv, env, cwd, before, check }: Command): Promise<Run> {
  before?.()
  return new Promise((done, fail) => {
    const [command = '', ...args] = argv
    const resolveChecked = (run: Run): void => {
      try {
        check?.(run.stdout)
        done(run)
      } catch (error) {
        fail(error)
      }
    }
    const startedAt = performance.now()
    const child = spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
    const out: Buffer[] = []
    const err: Buffer[] = []
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk))
    child.stderr.on('data', (chunk: Buffer) => err.push(chunk))
    child.on('error', fail)
    child.on('close', (code) => {
      const ms = performance.now() - startedAt
      const stdout = Buffer.concat(out).toString()
      if (code === 0) resolveChecked({ ms, stdout })
      else fail(new Error(`${argv.join(' ')} ended with ${code}: ${Buffer.concat(err).toString().slice(-2000)}`))
    })
  })
}

export async function compare(ours: Command, peer: Command, runs: number): Promise<{ ours: number; peer: number }> {
  await runProcess(ours)
  await runProcess(peer)
  const times: { ours: number[]; peer: number[] } = { ours: [], peer: [] }
  for (let run = 0; run < runs; run += 1) {
    times.ours.push((await runProcess(ours)).ms)
    times.peer.push((await runProcess(peer)).ms)
  }
  return { ours: median(times.ours), peer: median(times.peer) }
}

/** Runs a subject script with plain Node and gives what it reports. */
export async function report<T>(name: string, args: readonly string[], env?: Record<string, string>): Promise<T> {
  const { stdout } = await runProcess({ argv: [process.execPath, subject(name), ...args], ...(env && { env }) })
  return JSON.parse(stdout) as T
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1 ? (sorted[middle] ?? 0) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2
}
