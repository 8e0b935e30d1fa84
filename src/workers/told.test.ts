import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import type { WorkerRecord } from '../store/workers.ts'
import type { WorkerContext } from './context.ts'
import { readLast } from './files.ts'
import { noteInput } from './told.ts'

const folder = mkdtempSync(join(tmpdir(), 'offshoot-told-'))
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('a token at the cut is not remembered by half when a long secret before it made room', async () => {
  const token = `gh${'p_'}${'a1B2'.repeat(9)}`
  const long = `SESSION_TOKEN=${'k3Y'.repeat(320)}`
  await noteInput({ folder } as WorkerContext, { id: 'w' } as WorkerRecord, `${long} ${token}`)
  expect(readLast(folder, 'w').input).toBe('SESSION_TOKEN=[redacted:secret] [redacted:github-token]')
})
