import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createLineReader } from './read-lines.ts'

function reading(pasteMs: number | null) {
  const heard: string[] = []
  return { heard, reader: createLineReader({ pasteMs, onText: (text) => heard.push(text) }) }
}

test('lines of a pipe are heard one by one, however they are cut', () => {
  const { heard, reader } = reading(null)
  for (const chunk of ['one\ntw', 'o\r\n', '\nla', 'st']) reader.push(chunk)
  expect(heard).toEqual(['one', 'two', ''])
  reader.end()
  expect(heard).toEqual(['one', 'two', '', 'last'])
})

test('lines that come at once are one text, a backslash goes on with the next line', async () => {
  const { heard, reader } = reading(5)
  reader.push('first\n')
  reader.push('second\nthird\n')
  await pause(30)
  reader.push('to be \\\n')
  await pause(30)
  expect(heard).toEqual(['first\nsecond\nthird'])
  reader.push('gone on with\n')
  await pause(30)
  expect(heard.slice(1)).toEqual(['to be \ngone on with'])
})

test('what is half typed can be dropped', async () => {
  const { heard, reader } = reading(5)
  reader.push('half \\\nand ha')
  reader.drop()
  reader.push('whole\n')
  await pause(30)
  expect(heard).toEqual(['whole'])
})
