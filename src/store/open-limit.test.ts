// The limit of open files, met in a process of its own: SQLite says only that it cannot open the file.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'offshoot-open-limit-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const module = (name: string) => fileURLToPath(new URL(name, import.meta.url))
const script = `
  import { closeSync, openSync } from 'node:fs'
  import { takeLock } from '${module('lock.ts')}'
  import { toStoreError } from '${module('faults.ts')}'
  import { openStore } from '${module('store.ts')}'
  const [folder, what] = process.argv.slice(1)
  const open = () => what === 'database' ? openStore({ folder, now: () => 1 }).close() : takeLock(folder + '/some.lock', 0)?.release()
  const openWith = (free) => {
    const held = []
    try {
      while (true) held.push(openSync('/dev/null', 'r'))
    } catch {} // the limit is reached
    for (let at = 0; at < free; at += 1) closeSync(held.pop())
    try {
      open()
      return null
    } catch (error) {
      const { code, message, hint } = toStoreError(error)
      return { code, message, hint }
    } finally {
      for (const fd of held) closeSync(fd)
    }
  }
  open()
  console.log(JSON.stringify([0, 1, 2, 3, 4, 5, 6].map(openWith)))
`

test.each(['database', 'lock'])('a %s that cannot be opened because too many files are open is reported so', (what) => {
  const node = [process.execPath, '--import', 'tsx', '--input-type=module', '-e', script]
  const said = execFileSync('sh', ['-c', 'ulimit -n 128; exec "$@"', 'sh', ...node, folder, what], { encoding: 'utf8' })
  const told = JSON.parse(said) as unknown[]
  expect(told.at(-1)).toBeNull()
  const limits = told.filter((each) => each !== null)
  expect(limits.length).toBeGreaterThan(0)
  for (const each of limits) {
    expect(each).toMatchObject({
      code: 'machine_limit',
      message: expect.stringMatching(/^This process has too many open files: /),
      hint: expect.stringContaining('ulimit -n'),
    })
  }
})
