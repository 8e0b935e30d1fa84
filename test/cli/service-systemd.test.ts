// The service under a real user manager of systemd, in a mount namespace of its own: where that can be had, it is really started.
import { execFile, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { removeFolder } from '../setup/remove-folder.ts'
import { bin } from './run-cli.ts'

const script = fileURLToPath(new URL('./user-manager.sh', import.meta.url))
const child = fileURLToPath(new URL('./service-child.mjs', import.meta.url))
const within = ['unshare', '-m', '--propagation', 'private', 'sh', script]

interface Told {
  readonly installed: readonly string[]
  readonly running: { readonly state: string; readonly pid: number }
  readonly again: readonly string[]
  readonly restarted: { readonly state: string; readonly pid: number; readonly restarts: number }
  readonly scope: string
  readonly removed: readonly string[]
  readonly workers: readonly (readonly [string, string])[]
  readonly left: { readonly installed: boolean }
}

const hasSystemd = existsSync('/lib/systemd/systemd') && spawnSync('dbus-daemon', ['--version']).status === 0
const canRun = hasSystemd && spawnSync(within[0] ?? '', [...within.slice(1), 'true'], { timeout: 20_000 }).status === 0
if (!canRun) console.log('the service under a real systemd: left out, no user manager can be started here')

describe.runIf(canRun)('under systemd', () => {
  test('it is installed, started, started again when killed, and taken away; its panes go on', { timeout: 60_000 }, async () => {
    const home = realpathSync(mkdtempSync(join(tmpdir(), 'offshoot-systemd-')))
    try {
      const project = join(home, 'a project')
      const agents = join(home, 'bin')
      for (const folder of [project, agents]) mkdirSync(folder)
      writeFileSync(
        join(agents, 'claude'),
        '#!/bin/sh\ncase "$*" in *--version*) echo "2.1.325 (Claude Code)";; *) exec cat;; esac\n',
      )
      chmodSync(join(agents, 'claude'), 0o755)
      const env = {
        PATH: `${agents}:${process.env.PATH}`,
        HOME: home,
        OFFSHOOT_HOME: join(home, '.offshoot'),
        OFFSHOOT_PORT: '0',
      }
      const [command = '', ...args] = [...within, process.execPath, child, bin, project]
      const { stdout } = await promisify(execFile)(command, args, { env })
      const told = JSON.parse(stdout) as Told
      const unit = join(home, '.config', 'systemd', 'user', 'offshoot.service')
      expect(told.installed).toEqual([
        `wrote ${unit}`,
        'systemctl --user daemon-reload',
        'systemctl --user enable --now offshoot.service',
      ])
      expect(told.running.state).toBe('running')
      expect(told.again).toEqual([expect.stringContaining('nothing to do')])
      expect(told.restarted).toMatchObject({ state: 'running', restarts: 1 })
      expect(told.restarted.pid).not.toBe(told.running.pid)
      expect(told.scope).toMatch(/run-\w+\.scope$/)
      expect(told.removed).toContain(`removed ${unit}`)
      expect(told.workers).toEqual([['one', 'starting']])
      expect([told.left.installed, existsSync(unit)]).toEqual([false, false])
    } finally {
      removeFolder(home)
    }
  })
})
