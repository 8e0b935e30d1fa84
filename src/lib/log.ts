// JSON lines in `$OFFSHOOT_HOME/logs/offshoot.log`. pino is loaded with the first line written, so that a command with
// nothing to say pays nothing. Fields are names, numbers and faults: never text out of a transcript.
import { mkdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Logger as Pino } from 'pino'
import { isMissing } from './file-errors.ts'

const maxBytes = 5 * 1024 * 1024
const keptFiles = 3
const maxFieldLength = 500

export type LogLevel = 'error' | 'warn' | 'info' | 'debug'

/** Short facts only; a string longer than a path is cut, so that no transcript gets in by accident. */
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined | Error>>

export interface Log {
  readonly file: string
  write(level: LogLevel, event: string, fields?: LogFields): void
}

export interface LogOptions {
  readonly folder: string
  /** Of the file; default `offshoot`. */
  readonly name?: string
  readonly now: () => number
  readonly level?: LogLevel
  readonly maxBytes?: number
}

/** Logging may fail (full disk, read-only home) without anyone's work failing: the first fault switches it off. */
export function createLog(options: LogOptions): Log {
  const file = join(options.folder, `${options.name ?? 'offshoot'}.log`)
  const limit = options.maxBytes ?? maxBytes
  let logger: Pino | undefined
  let broken = false
  return {
    file,
    write(level, event, fields = {}) {
      if (broken) return
      try {
        if (logger === undefined || sizeOf(file) >= limit) {
          mkdirSync(options.folder, { recursive: true, mode: 0o700 })
          if (sizeOf(file) >= limit) rotate(file)
          logger = openLogger(file, options)
        }
        logger[level](shorten(fields), event)
      } catch {
        broken = true // nowhere left to say so: the log is where it would have gone
      }
    },
  }
}

function openLogger(file: string, { level = 'info', now }: LogOptions): Pino {
  const { pino } = createRequire(import.meta.url)('pino') as typeof import('pino')
  // Synchronous, so that the stack of a bug is on disk before the process ends.
  const destination = pino.destination({ dest: file, sync: true, mode: 0o600 })
  return pino({ level, timestamp: () => `,"at":"${new Date(now()).toISOString()}"`, base: { pid: process.pid } }, destination)
}

function shorten(fields: LogFields): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, shortenField(value)]))
}

function shortenField(value: LogFields[string]): unknown {
  if (value instanceof Error) return { name: value.name, message: cut(value.message), stack: framesOf(value) }
  return typeof value === 'string' ? cut(value) : value
}

/** The frames without the message, which is given apart and cut. */
function framesOf(error: Error): string[] {
  return (error.stack ?? '')
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .map((line) => line.trim())
}

function cut(text: string): string {
  return text.length > maxFieldLength ? `${text.slice(0, maxFieldLength)}...` : text
}

/** offshoot.log -> offshoot.log.1 -> .2 -> .3; what was .3 goes. */
function rotate(file: string): void {
  rmSync(`${file}.${keptFiles}`, { force: true })
  for (let number = keptFiles - 1; number >= 0; number -= 1) {
    const from = number === 0 ? file : `${file}.${number}`
    if (sizeOf(from) >= 0) renameSync(from, `${file}.${number + 1}`)
  }
}

function sizeOf(path: string): number {
  try {
    return statSync(path).size
  } catch (error) {
    if (isMissing(error)) return -1
    throw error
  }
}
