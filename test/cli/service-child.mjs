// Runs within a user manager of systemd: the service from its installation to its end, told as one JSON document.
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const [program, project] = process.argv.slice(2)
const home = process.env.OFFSHOOT_HOME
const run = (command, ...args) =>
  execFileSync(command, args, { cwd: project, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
const offshoot = (...args) => JSON.parse(run(process.execPath, program, ...args, '--json'))
const server = () => JSON.parse(readFileSync(join(home, 'server.json'), 'utf8'))
const health = async () => (await fetch(`${server().url}/health`)).status
const scopeOf = (pid) => /name=systemd:(.*)|0::(.*)/.exec(readFileSync(`/proc/${pid}/cgroup`, 'utf8'))?.[0] ?? ''
/** Ends with 3 where it does not run. */
const status = () =>
  JSON.parse(spawnSync(process.execPath, [program, 'service', 'status', '--json'], { encoding: 'utf8' }).stdout).service

async function until(what, holds) {
  for (let left = 200; left > 0; left -= 1) {
    if (
      await Promise.resolve()
        .then(holds)
        .catch(() => false)
    )
      return
    await sleep(100)
  }
  throw new Error(`never: ${what}`)
}

const installed = offshoot('service', 'install', '--project', project).service.steps
await until('an answer', async () => (await health()) === 200)
const running = status()
const again = offshoot('service', 'install').service.steps
process.kill(running.pid, 'SIGKILL')
await until('a new start', async () => status().pid !== running.pid && (await health()) === 200 && server().pid === status().pid)
const restarted = status()

// A pane that was opened by the service outlives it.
const body = {
  agent: 'claude',
  project_path: project,
  terminal: 'tmux',
  workspace: false,
  name: 'one',
  settings: { ready_timeout_ms: 1000 },
}
const headers = {
  authorization: `Bearer ${readFileSync(join(home, 'token'), 'utf8').trim()}`,
  'content-type': 'application/json',
}
await fetch(`${server().url}/workers`, { method: 'POST', headers, body: JSON.stringify(body) })
const tmux = Number(run('tmux', '-L', 'default', 'display-message', '-p', '#{pid}'))
const scope = scopeOf(tmux)
const removed = offshoot('service', 'uninstall').service.steps
await until('its end', () => status().state !== 'running')
const workers = offshoot('workers').workers.map(({ name, state }) => [name, state])
run('tmux', '-L', 'default', 'kill-server')
console.log(JSON.stringify({ installed, running, again, restarted, scope, removed, workers, left: status() }))
