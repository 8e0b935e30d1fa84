import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { endLeftChildren } from './left-children.ts'

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'offshoot-children-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

test('notes that are damaged, or something else, stop no command', async () => {
  const notes = join(home, 'children')
  mkdirSync(join(notes, '1'), { recursive: true })
  execFileSync('mkfifo', [join(notes, '2')])
  const texts = ['', '{}', '[]', 'null', '{"parent":{"pid":"x"}}', '{"parent":{},"child":{}}']
  for (const [at, text] of texts.entries()) writeFileSync(join(notes, String(at + 3)), text)
  await endLeftChildren(home, process.env)
  for (const at of texts.keys()) expect(existsSync(join(notes, String(at + 3)))).toBe(false)
})

test('nothing is removed behind a link', async () => {
  const theirs = join(home, 'theirs')
  mkdirSync(theirs)
  writeFileSync(join(theirs, '7'), 'of the user\n')
  symlinkSync(theirs, join(home, 'children'))
  await endLeftChildren(home, process.env)
  expect(existsSync(join(theirs, '7'))).toBe(true)
})
