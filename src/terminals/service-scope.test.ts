import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { scopeForServer } from './service-scope.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'offshoot-scope-'))
  mkdirSync(join(root, 'booted'))
  writeFileSync(join(root, 'systemd-run'), '', { mode: 0o755 })
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function scope(cgroup: string | null, { booted = 'booted', path = root } = {}) {
  if (cgroup !== null) writeFileSync(join(root, 'cgroup'), cgroup)
  return scopeForServer(path, { cgroup: join(root, 'cgroup'), booted: join(root, booted) })
}

const service = '0::/user.slice/user-1000.slice/user@1000.service/app.slice/offshoot.service\n'

test('is needed in a service only', () => {
  expect(scope(service)).toEqual(['systemd-run', '--user', '--scope', '--quiet', '--collect', '--'])
  expect(scope('1:name=systemd:/system.slice/x.service\n0::/\n')).not.toEqual([])
  expect(scope('0::/user.slice/user-1000.slice/session-3.scope\n')).toEqual([])
  expect(scope('0::/user.slice/user-1000.slice/user@1000.service/app.slice/vte-spawn-1.scope\n')).toEqual([])
})

test('is not needed where there is no systemd', () => {
  expect(scope(service, { booted: 'nothing' })).toEqual([])
  rmSync(join(root, 'cgroup'), { force: true })
  expect(scope(null)).toEqual([])
})

test('cannot be had without systemd-run', () => {
  expect(scope(service, { path: '/nowhere' })).toBeNull()
})
