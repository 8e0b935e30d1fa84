import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { findNode } from './node-path.ts'
import { findManager } from './services.ts'
import { findStaleness, projectsOf } from './staleness.ts'
import { createStandIns } from './stand-ins.testkit.ts'

let root: string
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'offshoot-node-')))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

test('by the real file of Node, whatever link leads there', () => {
  writeFileSync(join(root, 'node-22'), '')
  symlinkSync('node-22', join(root, 'node'))
  expect(findNode(join(root, 'node'))).toBe(join(root, 'node-22'))
  expect(findNode(join(root, 'gone'))).toBe(join(root, 'gone'))
})

test("not by Homebrew's versioned folder, where a lasting link leads to the same file", () => {
  const cellar = join(root, 'Cellar/node@22/22.1.0/bin')
  mkdirSync(cellar, { recursive: true })
  writeFileSync(join(cellar, 'node'), '')
  expect(findNode(join(cellar, 'node'))).toBe(join(cellar, 'node'))
  mkdirSync(join(root, 'opt'))
  symlinkSync('../Cellar/node@22/22.1.0', join(root, 'opt/node@22'))
  expect(findNode(join(cellar, 'node'))).toBe(join(root, 'opt/node@22/bin/node'))
})

test('what an installed service runs may be out of date', () => {
  const now = { node: join(root, 'node'), script: join(root, 'offshoot.js') }
  for (const path of Object.values(now)) writeFileSync(path, '')
  writeFileSync(join(root, 'other'), '')
  expect(findStaleness([now.node, now.script], now)).toBeNull()
  expect(findStaleness([join(root, 'gone'), now.script], now)).toContain('which is gone')
  expect(findStaleness([now.node, join(root, 'gone.js')], now)).toContain('which is gone')
  expect(findStaleness([join(root, 'other'), now.script], now)).toContain('another Node')
  expect(findStaleness([now.node, join(root, 'other')], now)).toContain('another installation')
  expect(projectsOf(['n', 's', 'serve', '--service', '--project', '/a', '/b'])).toEqual(['/a', '/b'])
  expect(projectsOf(['n', 's', 'serve', '--service'])).toEqual([])
})

test('each system its manager', () => {
  const stand = createStandIns()
  try {
    expect(findManager('darwin', stand.options).id).toBe('launchd')
    expect(findManager('linux', stand.options).id).toBe('systemd')
    expect(() => findManager('win32', stand.options)).toThrow(/win32/)
  } finally {
    stand.close()
  }
})
