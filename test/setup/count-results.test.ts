import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
// @ts-expect-error a plain script without types
import { countResults } from '../../scripts/count-results.mjs'
import { removeFolder } from './remove-folder.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'offshoot-count-'))
})
afterAll(() => removeFolder(folder))

function report(content: object): string {
  const path = join(folder, 'results.json')
  writeFileSync(path, JSON.stringify({ numPassedTests: 3, numFailedTests: 0, numPendingTests: 1, testResults: [], ...content }))
  return path
}

test('adds up passed, failed and skipped', () => {
  expect(countResults(report({ numFailedTests: 2, numTodoTests: 1 }), false)).toEqual({ passed: 3, failed: 2, skipped: 2 })
})

test('a file that could not be loaded is a failure', () => {
  const testResults = [{ status: 'failed', assertionResults: [] }]
  expect(countResults(report({ testResults }), false)).toEqual({ passed: 3, failed: 1, skipped: 1 })
})

test('an error outside any test is a failure', () => {
  expect(countResults(report({}), false)).toEqual({ passed: 3, failed: 1, skipped: 1 })
})

test('no report at all is a failure', () => {
  expect(countResults(join(folder, 'missing.json'), true)).toEqual({ passed: 0, failed: 1, skipped: 0 })
})
