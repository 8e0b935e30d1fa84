// The last lines of a file, read from its end.
import { closeSync, fstatSync, readSync } from 'node:fs'
import { isMissing } from '../lib/file-errors.ts'
import { openRegular } from '../lib/regular-file.ts'

const maxBytes = 256 * 1024

export function tailOf(path: string, lines: number): string[] {
  let file: number
  try {
    file = openRegular(path)
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
  try {
    const { size } = fstatSync(file)
    const bytes = Buffer.alloc(Math.min(size, maxBytes))
    readSync(file, bytes, 0, bytes.length, size - bytes.length)
    const all = bytes.toString('utf8').split('\n')
    const whole = size > bytes.length ? all.slice(1) : all
    return lines === 0 ? [] : whole.filter((line) => line !== '').slice(-lines)
  } finally {
    closeSync(file)
  }
}
