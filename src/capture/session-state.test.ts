import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { noState, type OpenTurn, privateIndex, readState, withSession, writeState } from './session-state.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'offshoot-state-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const turn = (turnKey: string): OpenTurn => ({ turnKey, prompt: '', startedAt: 1, number: null, root: null, startTree: null })

describe('what is remembered of a session', () => {
  it('comes back, the last ends only', () => {
    const ended = ['f', 'e', 'd', 'c', 'b'].map((key) => ({ ...turn(key), tree: null }))
    writeState(folder, { ...noState, count: 3, open: turn('a'), ended })
    expect(readState(folder)).toEqual({ ...noState, count: 3, open: turn('a'), ended: ended.slice(0, 4) })
  })

  it.each(['', '{', 'null', '[]', '{"version":2}', '{"version":1,"count":1,"open":{},"ended":[],"indexes":0}'])(
    'is nothing where %j stands',
    (text) => {
      writeFileSync(join(folder, 'state.json'), text)
      expect(readState(folder)).toBeNull()
    },
  )

  it('is nothing where there is no file', () => {
    expect(readState(folder)).toBeNull()
  })

  it('has an index for each work tree', () => {
    const paths = [privateIndex(folder, '/a', 0), privateIndex(folder, '/b', 0), privateIndex(folder, '/a', 1)]
    expect(new Set(paths).size).toBe(3)
    expect(privateIndex(folder, '/a', 0)).toBe(paths[0])
  })

  it('is changed by one at a time', async () => {
    let inside = 0
    const work = async () => {
      expect(++inside).toBe(1)
      await new Promise((resolve) => setTimeout(resolve, 2))
      inside--
    }
    await Promise.all(Array.from({ length: 5 }, () => withSession(folder, work, 400)))
    writeFileSync(join(folder, 'lock'), 'another-host 1 -')
    await expect(withSession(folder, work, 2)).rejects.toMatchObject({ code: 'busy' })
  })
})
