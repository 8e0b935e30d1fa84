import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { AppError } from '../model/error.ts'
import { reportError } from './errors.ts'
import { recordContext } from './test-output.testkit.ts'

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'offshoot-errors-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

test('a fault: message and hint on stderr, the status of the table', () => {
  const { context, stdout, stderr } = recordContext({ home })
  expect(reportError(new AppError('busy', 'It runs'), context, false)).toBe(4)
  expect(stderr()).toBe('error: It runs\nhint: Wait for the running turn to end, or choose an earlier turn.\n')
  expect(stdout()).toBe('')
})

test('the same as JSON: one document on stdout, nothing on stderr', () => {
  const { context, stdout, stderr } = recordContext({ home })
  expect(
    reportError(new AppError('ambiguous', 'Two', { hint: 'More', details: { candidates: ['a', 'b'] } }), context, true),
  ).toBe(4)
  expect(JSON.parse(stdout())).toEqual({
    error: { code: 'ambiguous', message: 'Two', hint: 'More', details: { candidates: ['a', 'b'] } },
  })
  expect(stderr()).toBe('')
})

test('a bug: status 70, its stack in the log, not on the screen', () => {
  const { context, stderr } = recordContext({ home })
  expect(reportError(new TypeError('x is not a function'), context, false)).toBe(70)
  expect(stderr()).toContain('internal error: x is not a function')
  expect(stderr()).not.toContain('errors.test')
  const log = readFileSync(join(home, '.offshoot', 'logs', 'offshoot.log'), 'utf8')
  expect(log).toContain('errors.test')
})

test('a full disk is an error with a remedy, not a bug', () => {
  const { context, stderr } = recordContext({ home })
  const full = Object.assign(new Error('ENOSPC'), { code: 'ENOSPC', syscall: 'write', path: '/work/x' })
  expect(reportError(full, context, false)).toBe(1)
  expect(stderr()).toBe(
    'error: The disk is full: offshoot cannot write to /work/x (write: ENOSPC).\nhint: Free some space and try again.\n',
  )
})

test('what a transcript put into a message cannot drive the terminal', () => {
  const { context, stderr } = recordContext({ home })
  reportError(new AppError('failed', 'bad \u001b[2J title', { hint: '' }), context, false)
  expect(stderr()).toBe('error: bad  title\n')
})
