import { execFileSync } from 'node:child_process'
import { readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createRandom } from '../../test/git/random.ts'
import { git, makeScratch, type Scratch, writeFiles } from '../../test/git/scratch.ts'
import type { BytePath } from './byte-path.ts'
import { type IndexScan, scanIndex } from './index-scan.ts'
import { mergePlain } from './merge-plain.ts'

describe('merging two indexes as bytes', () => {
  let scratch: Scratch
  beforeEach(() => {
    scratch = makeScratch()
  })
  afterEach(() => scratch.remove())

  /** An index of these files, each as its text says and as old as told. */
  function make(name: string, files: Record<string, { text: string; at: number }>): IndexScan {
    const root = join(scratch.path, name)
    git(scratch.path, ['init', '-q', root])
    for (const [path, { text, at }] of Object.entries(files)) {
      writeFiles(root, { [path]: text })
      utimesSync(join(root, path), at, at)
    }
    git(root, ['add', '-A'])
    const scan = scanIndex(readFileSync(join(root, '.git/index')), 20)
    if (scan === null) throw new Error('version 4')
    return scan
  }

  function list(bytes: Buffer): string[] {
    writeFileSync(join(scratch.path, 'merged'), bytes)
    const env = { ...process.env, GIT_INDEX_FILE: join(scratch.path, 'merged') }
    const told = execFileSync('git', ['ls-files', '--stage', '--debug'], {
      cwd: join(scratch.path, 'seed'),
      env,
      encoding: 'latin1',
    })
    return Array.from(
      told.matchAll(/^\d+ (\w+) 0\t(.*)\n.*\n {2}mtime: (\d+)/gm),
      ([, blob, path, time]) => `${path} ${blob} ${time}`,
    )
  }

  it.each([1, 2, 3])('takes of each file what was written later, and untracked files where they fit, seed %i', (seed) => {
    const random = createRandom(seed)
    const names = Array.from({ length: 700 }, (_, number) => `${'abcdefg'[number % 7]}/${number.toString(36)}`)
    const own: Record<string, { text: string; at: number }> = {}
    const theirs: Record<string, { text: string; at: number }> = {}
    const rate = random.pick([0.01, 0.2, 0.9])
    for (const name of names) {
      const both = { text: name, at: 1000 }
      const differ = random.chance(rate)
      if (!differ || random.chance(0.7)) theirs[name] = differ ? { text: 'theirs', at: 1000 + random.below(3) } : both
      if (!differ || random.chance(0.7)) own[name] = differ ? { text: 'own', at: 1000 + random.below(3) } : both
    }
    // A file of ours where they have a folder, and the other way round.
    Object.assign(own, { h: { text: 'file', at: 9 }, 'i/j/k': { text: 'below', at: 9 }, 'l-l': { text: 'fits', at: 9 } })
    Object.assign(theirs, { 'h/x': { text: 'x', at: 9 }, 'i/j': { text: 'file', at: 9 }, 'l/l': { text: 'l', at: 9 } })
    const known = Object.keys(own).filter((name) => random.chance(0.5) || name.length < 6) as BytePath[]
    const { bytes, untracked } = mergePlain(make('seed', theirs), make('own', own), known, 20)

    const fits = known.filter((name) => !(name in theirs) && !['h', 'i/j/k'].includes(name))
    expect([...untracked].sort()).toEqual([...fits].sort())
    const wanted = new Map(Object.entries(theirs))
    for (const [name, file] of Object.entries(own)) {
      const other = wanted.get(name)
      if (other === undefined ? fits.includes(name as BytePath) : file.at > other.at) wanted.set(name, file)
    }
    const hash = (text: string) => git(scratch.path, ['hash-object', '--stdin'], { input: text }).trim()
    const hashes = new Map<string, string>()
    for (const { text } of wanted.values()) if (!hashes.has(text) && !text.includes('/')) hashes.set(text, hash(text))
    const told = list(bytes)
    expect(told.map((line) => line.split(' ')[0])).toEqual([...wanted.keys()].sort())
    for (const line of told) {
      const [path = '', blob, time] = line.split(' ')
      const file = wanted.get(path)
      expect(Number(time)).toBe(file?.at)
      if (file !== undefined && hashes.has(file.text)) expect(blob).toBe(hashes.get(file.text))
    }
  })

  it('works without an index of our own, and with empty ones', () => {
    const seed = make('seed', { a: { text: 'a', at: 5 } })
    expect(list(mergePlain(seed, null, [], 20).bytes)).toHaveLength(1)
    const empty = scanIndex(Buffer.concat([Buffer.from('DIRC\0\0\0\x02\0\0\0\0', 'latin1'), Buffer.alloc(20)]), 20)
    if (empty === null) throw new Error('version 4')
    expect(list(mergePlain(empty, seed, [], 20).bytes)).toEqual([])
    expect(list(mergePlain(empty, seed, ['a' as BytePath], 20).bytes)).toHaveLength(1)
  })
})
