// `systemctl`, `loginctl`, `journalctl` and `launchctl` as small programs that keep their state in files and speak as the real ones
// do (systemd 252; launchctl(1) and the errors people report), so that what we send them goes through a real process.
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { exec } from '../lib/exec.ts'
import type { ServiceOptions, ServiceSpec } from './service.ts'

const systemctl = `
[ "$1" = --user ] || { echo "not the user manager" >&2; exit 9; }
shift
if [ -f "$S/bus" ]; then cat "$S/bus" >&2; exit 1; fi
unit="$HOME/.config/systemd/user/offshoot.service"
case "$1" in
show)
  [ "$2" = -p ] || exit 9
  active=$(cat "$S/active" 2>/dev/null || echo inactive)
  sub=dead; [ "$active" = active ] && sub=running
  if [ -f "$unit" ]; then echo LoadState=loaded; else echo LoadState=not-found; fi
  echo "ActiveState=$active"; echo "SubState=$sub"
  if [ "$active" = active ]; then echo MainPID=4242; else echo MainPID=0; fi
  echo "ExecMainStatus=$(cat "$S/status" 2>/dev/null || echo 0)"
  echo "NRestarts=$(cat "$S/restarts" 2>/dev/null || echo 0)"
  if [ -f "$S/enabled" ]; then echo UnitFileState=enabled; else echo UnitFileState=; fi
  exit 0;;
daemon-reload) echo daemon-reload >>"$S/calls"; exit 0;;
enable) echo "$*" >>"$S/calls"; [ -f "$unit" ] || { echo "Failed to enable unit: Unit file offshoot.service does not exist." >&2; exit 1; }
  touch "$S/enabled"; if [ -f "$S/falls" ]; then echo failed >"$S/active"; else echo active >"$S/active"; fi; exit 0;;
restart) echo "$*" >>"$S/calls"; echo active >"$S/active"; exit 0;;
disable) echo "$*" >>"$S/calls"; rm -f "$S/enabled" "$S/active"; exit 0;;
reset-failed) [ "$(cat "$S/active" 2>/dev/null)" = failed ] && rm "$S/active" && exit 0
  echo "Failed to reset failed state of unit offshoot.service: Unit offshoot.service not loaded." >&2; exit 1;;
esac
echo "Unknown command verb $1." >&2; exit 1
`
const loginctl = `[ "$1" = show-user ] || exit 9
cat "$S/linger" 2>/dev/null || echo no
`
const journalctl = `cat "$S/journal" 2>/dev/null || { echo "No journal files were found."; echo "-- No entries --"; }
`

/** `bootout` takes a while ($S/unloading counts down with every look), and meanwhile `bootstrap` fails with 5. */
const launchctl = `
verb=$1; target=$2
known() { [ -f "$S/loaded" ] && [ "$(cat "$S/loaded")" = "$1" ]; }
tick() { if [ -f "$S/unloading" ]; then n=$(cat "$S/unloading"); if [ "$n" -le 0 ]; then rm -f "$S/unloading" "$S/loaded"; else echo $((n - 1)) >"$S/unloading"; fi; fi; }
case "$verb" in
print)
  tick
  case "$target" in
  gui/501) [ -f "$S/headless" ] && { echo "Bad request. Could not find domain for user gui: 501" >&2; exit 125; }; echo "gui/501 = {"; exit 0;;
  user/501) echo "user/501 = {"; exit 0;;
  esac
  known "$target" || { echo "Could not find service \\"offshoot.server\\" in domain for user gui: 501" >&2; exit 113; }
  echo "$target = {"; echo "	active count = 1"
  if [ -f "$S/stopped" ]; then echo "	state = not running"; echo "	last exit code = $(cat "$S/stopped")"; else echo "	state = running"; echo "	pid = 777"; echo "	last exit code = (never exited)"; fi
  echo "}"; exit 0;;
bootout)
  echo "bootout $target" >>"$S/calls"
  known "$target" || { echo "Boot-out failed: 3: No such process" >&2; exit 3; }
  cat "$S/slowness" >"$S/unloading" 2>/dev/null || echo 3 >"$S/unloading"
  exit 0;;
enable) rm -f "$S/disabled"; exit 0;;
bootstrap)
  tick
  if [ -f "$S/loaded" ] || [ -f "$S/disabled" ] || [ ! -f "$3" ]; then echo "Bootstrap failed: 5: Input/output error" >&2; echo "Try re-running the command as root for richer errors." >&2; exit 5; fi
  if [ -f "$S/nodomain" ]; then echo "Bootstrap failed: 125: Domain does not support specified action" >&2; exit 125; fi
  echo "bootstrap $target" >>"$S/calls"
  rm -f "$S/stopped"; echo "$target/offshoot.server" >"$S/loaded"; exit 0;;
kickstart) echo "kickstart $target" >>"$S/calls"; rm -f "$S/stopped"; exit 0;;
esac
echo "Unrecognized subcommand: $verb" >&2; exit 64
`

export interface StandIns {
  readonly root: string
  readonly options: ServiceOptions & { readonly bootedFolder: string; readonly runtimeFolder: string }
  readonly spec: ServiceSpec
  set(name: string, text?: string): void
  unset(name: string): void
  calls(): readonly string[]
  close(): void
}

export function createStandIns(): StandIns {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'offshoot-services-')))
  const [bin, state, home] = ['bin', 'state', 'home'].map((name) => join(root, name)) as [string, string, string]
  for (const folder of [bin, state, home]) mkdirSync(folder)
  for (const [name, script] of Object.entries({ systemctl, loginctl, journalctl, launchctl })) {
    writeFileSync(join(bin, name), `#!/bin/sh\nS='${state}'\n${script}`)
    chmodSync(join(bin, name), 0o755)
  }
  const vars = { PATH: `${bin}:/usr/bin:/bin`, HOME: home }
  const logs = join(home, '.offshoot', 'logs')
  const file = (name: string) => join(state, name)
  return {
    root,
    options: { exec, home, vars, uid: 501, logs, pause: async () => undefined, bootedFolder: state, runtimeFolder: state },
    spec: {
      argv: ['/usr/bin/env', join(bin, 'offshoot.js'), 'serve', '--service', '--project', '/home/me/my project'],
      env: { PATH: vars.PATH },
      workingDirectory: home,
      logs,
    },
    set: (name, text = '') => writeFileSync(file(name), text),
    unset: (name) => rmSync(file(name), { force: true }),
    calls: () => (existsSync(file('calls')) ? readFileSync(file('calls'), 'utf8').trim().split('\n') : []),
    close: () => rmSync(root, { recursive: true, force: true }),
  }
}
