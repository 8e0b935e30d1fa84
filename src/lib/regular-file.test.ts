import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadRegular, loadRegularText, openRegular, openRegularHandle, readRegular, readRegularText } from './regular-file.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'offshoot-regular-'))
  writeFileSync(join(folder, 'file'), 'text ü')
  symlinkSync('file', join(folder, 'link'))
  mkdirSync(join(folder, 'folder'))
  execFileSync('mkfifo', [join(folder, 'pipe')])
  symlinkSync('pipe', join(folder, 'link-to-pipe'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const readers = {
  readRegular: async (path: string, most?: number) => readRegular(path, limit(most)).toString(),
  readRegularText: async (path: string, most?: number) => readRegularText(path, limit(most)),
  loadRegular: async (path: string, most?: number) => (await loadRegular(path, limit(most))).toString(),
  loadRegularText: (path: string, most?: number) => loadRegularText(path, limit(most)),
}
const limit = (mostBytes?: number) => (mostBytes === undefined ? {} : { mostBytes })

describe.each(Object.entries(readers))('%s', (_name, read) => {
  test('reads files, links to them, and files of /proc, which say they are empty', async () => {
    expect(await read(join(folder, 'file'))).toBe('text ü')
    expect(await read(join(folder, 'link'))).toBe('text ü')
    expect(await read('/proc/self/status')).toContain('Pid:')
  })

  test.each(['pipe', 'link-to-pipe', 'folder', 'missing'])('refuses %s at once', async (name) => {
    const code = { folder: 'EISDIR', missing: 'ENOENT' }[name] ?? 'unreadable'
    await expect(read(join(folder, name))).rejects.toMatchObject({ code })
  })

  test('refuses a device', async () => {
    await expect(read('/dev/zero')).rejects.toMatchObject({ code: 'unreadable' })
  })

  test('reads as much as it is told, not more', async () => {
    expect(await read(join(folder, 'file'), 7)).toBe('text ü')
    await expect(read(join(folder, 'file'), 6)).rejects.toMatchObject({ code: 'unreadable' })
  })
})

test.each([
  ['openRegular', async (path: string) => openRegular(path)],
  ['openRegularHandle', openRegularHandle],
])('%s opens no pipe', async (_name, open) => {
  await expect(open(join(folder, 'pipe'))).rejects.toMatchObject({ code: 'unreadable' })
})
