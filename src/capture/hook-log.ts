// The hook's own log, `logs/hook.log`: one JSON line per event. Not the app's log, whose library alone would take longer to
// load than a turn takes to capture. Names, numbers and faults only: never text out of a transcript.
import { appendFileSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isMissing } from '../lib/file-errors.ts'
import { makeFolder } from '../lib/make-folder.ts'
import { readRegularText } from '../lib/regular-file.ts'

const maxBytes = 1 << 20
const maxProblemLength = 400

export interface HookLogLine {
  readonly at: string
  readonly pid: number
  readonly agent: string
  readonly session?: string
  readonly event?: string
  readonly ms?: number
  readonly captured?: number
  readonly problem?: string
}

export function hookLogPath(folder: string): string {
  return join(folder, 'logs', 'hook.log')
}

/** May throw: the hook has nowhere to say that it cannot say anything, and swallows it there. */
export function writeHookLog(folder: string, now: number, line: Omit<HookLogLine, 'at' | 'pid'>): void {
  const file = hookLogPath(folder)
  const problem = line.problem === undefined ? {} : { problem: line.problem.slice(0, maxProblemLength) }
  const text = `${JSON.stringify({ at: new Date(now).toISOString(), pid: process.pid, ...line, ...problem })}\n`
  makeFolder(join(folder, 'logs'))
  if (sizeOf(file) > maxBytes) renameSync(file, `${file}.1`)
  appendFileSync(file, text, { mode: 0o600 })
}

/** Newest last; what is not a line of ours is passed over. */
export function readHookLog(folder: string): HookLogLine[] {
  let text: string
  try {
    text = readRegularText(hookLogPath(folder))
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
  return text.split('\n').flatMap((line) => {
    try {
      const value: unknown = JSON.parse(line)
      return typeof value === 'object' && value !== null && 'at' in value ? [value as HookLogLine] : []
    } catch {
      return [] // torn by a crash, or the end of the file
    }
  })
}

function sizeOf(path: string): number {
  try {
    return statSync(path).size
  } catch (error) {
    if (isMissing(error)) return 0
    throw error
  }
}
