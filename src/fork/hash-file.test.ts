import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest'
import { hashFile } from './hash-file.ts'
import { createHasher } from './hasher.ts'

let folder: string
const hasher = createHasher()
afterAll(() => hasher.close())
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'offshoot-hash-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test.each([0, 1, 300_000, 34 << 20])('the first %i bytes, whatever follows them', async (bytes) => {
  const path = join(folder, 'file')
  const content = Buffer.alloc(bytes, 'some content, ')
  writeFileSync(path, Buffer.concat([content, Buffer.from('more')]))
  const sha256 = createHash('sha256').update(content).digest('hex')
  expect(await hashFile(path, bytes)).toBe(sha256)
  expect(await hasher.hash(path, bytes)).toBe(sha256)
  expect(await hashFile(path, bytes + 5)).toBeNull()
  expect(await hasher.hash(path, bytes + 5)).toBeNull()
})

test('a file that is not there is a fault', async () => {
  await expect(hasher.hash(join(folder, 'none'), 64 << 20)).rejects.toMatchObject({ code: 'ENOENT' })
})
