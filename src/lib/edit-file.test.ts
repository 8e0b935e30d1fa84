import { spawn } from 'node:child_process'
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { editFile } from './edit-file.ts'
import { describeProcess } from './process-owner.ts'

const liveOwner = `${hostname()} ${process.pid} ${describeProcess(process.pid).startedAt}`
const deadOwner = `${hostname()} 4194999 1`

describe('editFile', () => {
  let folder: string
  let file: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'offshoot-edit-'))
    file = join(folder, 'settings.json')
  })
  afterEach(() => {
    chmodSync(folder, 0o755)
    rmSync(folder, { recursive: true, force: true })
  })

  it('makes, changes and removes a file, and leaves nothing else behind', async () => {
    expect(await editFile(file, (text) => (text === null ? 'made' : 'wrong'))).toBe(true)
    expect(await editFile(file, (text) => `${text}, changed`)).toBe(true)
    expect(readFileSync(file, 'utf8')).toBe('made, changed')
    expect(readdirSync(folder)).toEqual(['settings.json'])
    expect(await editFile(file, () => null)).toBe(true)
    expect(readdirSync(folder)).toEqual([])
  })

  it('does not write what is the same already', async () => {
    writeFileSync(file, 'same')
    const before = statSync(file)
    expect(await editFile(file, (text) => text)).toBe(false)
    expect(statSync(file)).toMatchObject({ ino: before.ino, mtimeMs: before.mtimeMs })
    expect(await editFile(join(folder, 'no', 'such', 'file'), () => null)).toBe(false)
    expect(readdirSync(folder)).toEqual(['settings.json'])
  })

  it('keeps the mode, and a link a link', async () => {
    const target = join(folder, 'dotfiles', 'real.json')
    mkdirSync(join(folder, 'dotfiles'))
    writeFileSync(target, 'a', { mode: 0o640 })
    symlinkSync('dotfiles/real.json', file)
    await editFile(file, () => 'b')
    expect(lstatSync(file).isSymbolicLink()).toBe(true)
    expect(readFileSync(target, 'utf8')).toBe('b')
    expect(statSync(target).mode & 0o777).toBe(0o640)
  })

  it('makes the file a link promises', async () => {
    symlinkSync('later.json', file)
    await editFile(file, () => 'b')
    expect(lstatSync(file).isSymbolicLink()).toBe(true)
    expect(readFileSync(join(folder, 'later.json'), 'utf8')).toBe('b')
  })

  it('refuses a link that leads to itself', async () => {
    symlinkSync('settings.json', file)
    await expect(editFile(file, () => 'b')).rejects.toMatchObject({ code: 'unreadable' })
  })

  it('refuses a read-only file and what is not UTF-8, and touches neither', async () => {
    writeFileSync(file, 'a')
    chmodSync(file, 0o444)
    await expect(editFile(file, () => 'b')).rejects.toMatchObject({ code: 'unreadable', message: expect.stringContaining(file) })
    expect(readFileSync(file, 'utf8')).toBe('a')
    const odd = join(folder, 'odd')
    writeFileSync(odd, Buffer.from([0x7b, 0xff, 0x7d]))
    await expect(editFile(odd, () => 'b')).rejects.toMatchObject({ code: 'unreadable' })
    expect([...readFileSync(odd)]).toEqual([0x7b, 0xff, 0x7d])
    expect(readdirSync(folder).sort()).toEqual(['odd', 'settings.json'])
  })

  it('says what stands in the way', async () => {
    writeFileSync(file, 'no folder')
    await expect(editFile(join(file, 'inner'), () => 'b')).rejects.toMatchObject({ code: 'unreadable' })
  })

  it('takes up what another program wrote meanwhile', async () => {
    writeFileSync(file, 'a')
    let asked = 0
    await editFile(file, (text) => {
      asked += 1
      // The second time is the one under the lock: somebody who knows no lock writes just then.
      if (asked === 2) writeFileSync(file, 'theirs')
      return `${text} and ours`
    })
    expect(readFileSync(file, 'utf8')).toBe('theirs and ours')
  })

  it('removes what killed writers left beside the file, and nothing else', async () => {
    writeFileSync(file, 'a')
    for (const name of ['offshoot-0a1b2c3d', 'offshoot-0a1b2c3d.123456', 'offshoot-lock.0a1b2c3d']) {
      writeFileSync(`${file}.${name}`, deadOwner)
    }
    const kept = ['other.json.offshoot-0a1b2c3d', 'settings.json.offshoot-backup', 'settings.json.offshoot-lock.bak']
    for (const name of kept) writeFileSync(join(folder, name), deadOwner)
    mkdirSync(`${file}.offshoot-11111111`)
    symlinkSync(join(folder, 'other.json.offshoot-0a1b2c3d'), `${file}.offshoot-22222222`)
    writeFileSync(`${file}.offshoot-lock.33333333`, liveOwner)
    await editFile(file, () => 'b')
    const odd = ['settings.json.offshoot-11111111', 'settings.json.offshoot-22222222', 'settings.json.offshoot-lock.33333333']
    expect(readdirSync(folder).sort()).toEqual(['settings.json', ...kept, ...odd].sort())
  })

  it('loses nothing when many change it at once', async () => {
    writeFileSync(file, '')
    const module = new URL('./edit-file.ts', import.meta.url).href
    const source = (name: number) =>
      `import(${JSON.stringify(module)}).then(async ({ editFile }) => { for (let i = 0; i < 5; i++) await editFile(${JSON.stringify(file)}, (t) => t + '${name}') })`
    const run = (name: number) =>
      new Promise<number | null>((resolve) => {
        const child = spawn(process.execPath, ['--import', 'tsx', '-e', source(name)], { stdio: 'inherit' })
        child.on('exit', resolve)
      })
    expect(await Promise.all([1, 2, 3, 4].map(run))).toEqual([0, 0, 0, 0])
    expect([...readFileSync(file, 'utf8')].sort().join('')).toBe('11111222223333344444')
    expect(readdirSync(folder)).toEqual(['settings.json'])
  })
})
