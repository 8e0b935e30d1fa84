import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

// A mount of our own: as root by itself, else as the root of a user namespace.
const flags = ['-m', '-rm'].find((each) => spawnSync('unshare', [each, 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0)

/** Makes a database, fills the disk up to the last byte, and opens the database again. */
const program = (folder: string) => `
  import { writeFileSync } from 'node:fs'
  import { openStore } from '${fileURLToPath(new URL('store.ts', import.meta.url))}'
  import { toStoreError } from '${fileURLToPath(new URL('faults.ts', import.meta.url))}'
  const folder = '${folder}'
  openStore({ folder, now: Date.now }).close()
  for (let size = 1 << 20; size > 0; size >>= 1) try {
    for (let number = 0; ; number += 1) writeFileSync(folder + '/fill-' + size + '-' + number, Buffer.alloc(size), { flag: 'wx' })
  } catch {} // full
  try {
    openStore({ folder, now: Date.now })
    console.log('{}')
  } catch (error) {
    const { code, message, hint } = toStoreError(error)
    console.log(JSON.stringify({ code, message, hint }))
  }`

test.runIf(flags !== undefined)('a database that cannot be opened because the disk is full says so', () => {
  const scratch = mkdtempSync(join(tmpdir(), 'offshoot-full-'))
  try {
    const disk = join(scratch, 'disk')
    mkdirSync(disk)
    const run = `mount -t tmpfs -o size=4m none '${disk}' && exec '${process.execPath}' --import tsx --input-type=module`
    const said = execFileSync('unshare', [flags ?? '', 'sh', '-c', run], { encoding: 'utf8', input: program(disk) })
    expect(JSON.parse(said)).toEqual({
      code: 'disk_full',
      message: 'The disk is full: offshoot cannot write to its database.',
      hint: expect.stringContaining('Free some space'),
    })
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
})
