import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { makeFolder } from './make-folder.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'folder-'))
})
afterEach(() => rmSync(root, { recursive: true }))

it('makes what is missing, for the person alone, and again without a word', () => {
  makeFolder(join(root, 'a', 'b', 'c'))
  makeFolder(join(root, 'a', 'b', 'c'))
  expect(statSync(join(root, 'a', 'b', 'c')).mode & 0o777).toBe(0o700)
})

it('fails where a file is in the way', () => {
  writeFileSync(join(root, 'file'), '')
  expect(() => makeFolder(join(root, 'file'))).toThrow('EEXIST')
  expect(() => makeFolder(join(root, 'file', 'x'))).toThrow('ENOTDIR')
})

it.runIf(existsSync('/proc/self'))('fails, and comes back, where none can be made', () => {
  expect(() => makeFolder('/proc/offshoot/x')).toThrow('ENOENT')
})
