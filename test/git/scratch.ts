// A scratch place for tests with real git: a folder that is removed afterwards, and git as a person would call it.
import { execFileSync } from 'node:child_process'
import { lstatSync, mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { exec } from '../../src/lib/exec.ts'
import { createGit, type Git } from '../../src/snapshots/git.ts'
import { removeFolder } from '../setup/remove-folder.ts'

export interface Scratch {
  readonly path: string
  remove(): void
}

export function makeScratch(): Scratch {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'offshoot-git-')))
  return { path, remove: () => removeFolder(path) }
}

/** offshoot's own way of calling git, in the surroundings of the test. */
export function testGit(env: Record<string, string | undefined> = process.env): Git {
  return createGit({ exec, env })
}

export interface GitOptions {
  /** One byte per character. */
  readonly input?: string
  readonly mayFail?: boolean
  readonly env?: Record<string, string>
}

/** Answers with one byte per character. */
export function git(cwd: string, args: readonly string[], { input = '', mayFail = false, env = {} }: GitOptions = {}): string {
  try {
    return execFileSync('git', args, {
      cwd,
      input: Buffer.from(input, 'latin1'),
      encoding: 'latin1',
      env: { ...process.env, LC_ALL: 'C', GIT_LITERAL_PATHSPECS: '1', ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
      maxBuffer: 1 << 28,
    })
  } catch (error) {
    if (mayFail) return ''
    throw error
  }
}

export function makeRepository(path: string, files: Record<string, string> = { 'a.txt': 'a\n', 'd/b.txt': 'b\n' }): string {
  mkdirSync(path, { recursive: true })
  git(path, ['init', '-q', '-b', 'main'])
  writeFiles(path, files)
  git(path, ['add', '-A'])
  git(path, ['commit', '-q', '--allow-empty', '-m', 'first'])
  return path
}

export function writeFiles(root: string, files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), text)
  }
}

/** A place by its bytes. */
export function at(root: string, latin1: string): Buffer {
  return Buffer.concat([Buffer.from(`${root}/`), Buffer.from(latin1, 'latin1')])
}

export function there(place: Buffer): boolean {
  return lstatSync(place, { throwIfNoEntry: false }) !== undefined
}

/** Whatever lies there, without following a link. */
export function removeAny(place: Buffer): void {
  removeFolder(place)
}
