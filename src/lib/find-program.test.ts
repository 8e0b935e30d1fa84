import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findProgram, isAtLeast } from './find-program.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'offshoot-path-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('findProgram', () => {
  it('passes over folders, files that cannot be run and places that are not there', () => {
    for (const name of ['a', 'b', 'c']) mkdirSync(join(folder, name))
    mkdirSync(join(folder, 'a', 'tool'))
    writeFileSync(join(folder, 'b', 'tool'), '')
    chmodSync(join(folder, 'b', 'tool'), 0o644)
    writeFileSync(join(folder, 'c', 'tool'), '')
    chmodSync(join(folder, 'c', 'tool'), 0o755)
    const path = ['', 'missing', 'a', 'b', 'c'].map((name) => (name === '' ? '' : join(folder, name))).join(':')
    expect(findProgram('tool', path)).toBe(join(folder, 'c', 'tool'))
    expect(findProgram('other', path)).toBeNull()
  })

  it('finds nothing without a PATH', () => expect(findProgram('sh', undefined)).toBeNull())
})

describe('isAtLeast', () => {
  it.each([
    ['2.1.197', [2, 1, 197], true],
    ['2.1.196', [2, 1, 197], false],
    ['2.2.0', [2, 1, 197], true],
    ['1.9.999', [2, 1, 197], false],
    ['0.166.0-alpha.1', [0, 150], true],
    ['0.9', [0, 142], false],
    ['3', [2, 1, 197], true],
    ['garbage', [0, 1], false],
  ])('%s against %j: %s', (version, wanted, answer) => expect(isAtLeast(version, wanted)).toBe(answer))
})
