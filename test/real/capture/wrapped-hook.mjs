// The hook program with an accident on order: `accident.json` in OFFSHOOT_HOME says which. Without one it is the hook itself.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const agent = process.argv[2] ?? ''
const file = join(process.env.OFFSHOOT_HOME ?? '', 'accident.json')
const { dieAt, readOnly } = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
const path = (name) => fileURLToPath(new URL(name, import.meta.url))
const hook = [process.execPath, path('../../../bin/hook.js'), agent]
const mounts = `mount --bind '${readOnly}' '${readOnly}' && mount -o remount,bind,ro '${readOnly}' && exec "$@"`
const [program, ...args] = dieAt
  ? [process.execPath, path('../../capture/hook-child.mjs'), agent, dieAt, '']
  : [...(readOnly ? ['unshare', '-m', 'sh', '-c', mounts, 'sh'] : []), ...hook]

const { signal } = spawnSync(program, args, { stdio: 'inherit' })
if (signal !== null) process.kill(process.pid, signal)
