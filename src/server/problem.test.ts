import { expect, it } from 'vitest'
import type { Log } from '../lib/log.ts'
import { createRedactor } from '../redact/redact.ts'
import { errorResult, isForLog } from './mcp/errors.ts'
import { problemOf } from './problem.ts'

const full = Object.assign(new Error('ENOSPC: no space'), { code: 'ENOSPC', syscall: 'open', path: '/secret/project/file' })

function recordLog() {
  const logged: unknown[] = []
  const log = { write: (...entry: unknown[]) => logged.push(entry) } as unknown as Log
  return { log, logged }
}

it('a condition of the machine is a problem with a remedy; only the log names the file', () => {
  const { log, logged } = recordLog()
  const problem = problemOf(full, log)
  expect(problem).toMatchObject({ status: 507, code: 'disk_full', hint: 'Free some space and try again.' })
  expect(JSON.stringify(problem)).not.toContain('secret')
  expect(logged).toEqual([['error', expect.stringContaining('disk is full'), { error: full }]])
})

it('a mistake of the program stays an internal error', () => {
  expect(problemOf(new TypeError('x'), recordLog().log)).toMatchObject({ status: 500, code: 'internal' })
})

it('a model gets the same code and hint, without the path', async () => {
  const { content, isError } = await errorResult(full, createRedactor())
  expect([isError, isForLog(full)]).toEqual([true, true])
  expect(JSON.parse(content[0]?.text ?? '')).toEqual({
    error: {
      code: 'disk_full',
      message: 'The disk is full: offshoot cannot write to a file.',
      hint: 'Free some space and try again.',
    },
  })
})
