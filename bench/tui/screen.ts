// `offshoot` as a person has it: the built program on a pseudo-terminal, its screen kept by a terminal emulator. Whoever waits looks
// after every piece the emulator has taken in, never by the clock: what is measured is the program, not the looking.
import { readFileSync } from 'node:fs'
import { spawn } from '@lydell/node-pty'
import xterm from '@xterm/headless'
import { offshoot } from '../measure.ts'

const columns = 120
const rows = 40
const patienceMs = 60_000

export interface Screen {
  readonly pid: number
  write(keys: string): void
  /** The rows, from the top. */
  lines(): string[]
  /** The moment (`performance.now`) at which the screen was first seen so; throws when it never is. */
  until(what: string, holds: (lines: readonly string[]) => boolean): Promise<number>
  /** Processor time of the program so far, all its threads. */
  processorMs(): number
  residentBytes(): number
  close(): Promise<void>
}

export function openScreen(cwd: string, env: Readonly<Record<string, string>>): Screen {
  const terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true })
  const pty = spawn(process.execPath, [offshoot], { name: 'xterm-256color', cols: columns, rows, cwd, env: { ...env } })
  const watchers = new Set<() => void>()
  pty.onData((data) =>
    terminal.write(data, () => {
      for (const look of watchers) look()
    }),
  )
  const ended = new Promise<void>((resolve) => pty.onExit(() => resolve()))
  const lines = () => {
    const { active } = terminal.buffer
    return Array.from({ length: rows }, (_, row) => active.getLine(active.viewportY + row)?.translateToString(true) ?? '')
  }
  const proc = (name: string) => readFileSync(`/proc/${pty.pid}/${name}`, 'utf8')
  return {
    pid: pty.pid,
    write: (keys) => pty.write(keys),
    lines,
    until: (what, holds) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          watchers.delete(look)
          reject(new Error(`${what} never came about; the screen was:\n${lines().join('\n')}`))
        }, patienceMs)
        const look = () => {
          if (!holds(lines())) return
          const at = performance.now()
          clearTimeout(timer)
          watchers.delete(look)
          resolve(at)
        }
        watchers.add(look)
        look()
      }),
    processorMs() {
      // Behind the name, which may hold anything: utime and stime are fields 14 and 15, in hundredths of a second.
      const fields = proc('stat')
        .replace(/^.*\) /s, '')
        .split(' ')
      return (Number(fields[11]) + Number(fields[12])) * 10
    },
    residentBytes: () => Number(/^VmRSS:\s+(\d+) kB$/m.exec(proc('status'))?.[1]) * 1024,
    async close() {
      pty.kill('SIGTERM')
      await ended
      terminal.dispose()
    },
  }
}

export const has =
  (text: string) =>
  (lines: readonly string[]): boolean =>
    lines.some((line) => line.includes(text))

export const lacks =
  (text: string) =>
  (lines: readonly string[]): boolean =>
    !has(text)(lines)
