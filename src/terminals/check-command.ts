// Looks before a pane is opened: terminals say nothing of a missing program (the pane is just dead) or folder (another is used).
import { accessSync, constants, statSync } from 'node:fs'
import { isAbsolute, resolve } from 'node:path'
import { findProgram } from '../lib/find-program.ts'
import { AppError } from '../model/error.ts'
import type { OpenPane } from './terminal.ts'

export function checkCommand({ argv, cwd, env }: OpenPane, path: string | undefined): void {
  const [program = ''] = argv
  if ([...argv, cwd, ...Object.entries(env).flat()].some((word) => word.includes('\0'))) {
    throw new AppError('usage', 'A command, folder or variable for a pane cannot hold a NUL character.')
  }
  const badName = Object.keys(env).find((name) => name === '' || name.includes('='))
  if (badName !== undefined) throw new AppError('usage', `${JSON.stringify(badName)} is no name of an environment variable.`)
  if (!isAbsolute(cwd) || !isFolder(cwd)) {
    throw new AppError('unreadable', `There is no folder ${cwd} to open a pane in.`, {
      hint: 'It may have been moved or removed; choose another.',
    })
  }
  const found = program.includes('/') ? isProgram(resolve(cwd, program)) : findProgram(program, env.PATH ?? path) !== null
  if (!found) throw new AppError('tool_missing', `There is no program ${program || '(no name given)'} to run in a pane.`)
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false // not there, or not ours to look at
  }
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false // not there, or not ours to run
  }
}
