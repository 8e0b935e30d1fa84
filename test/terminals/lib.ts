// Surroundings for tests of terminals: a tmux of their own on a socket in their own folder, without anybody's configuration.
import { execFileSync, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const launcher = fileURLToPath(new URL('../../bin/run-pane.js', import.meta.url))
export const node = process.execPath
/** A variable that panes inherit. */
export const inherited = { name: 'OFFSHOOT_TEST_INHERITED', value: 'from; #(here)' }

export function requireTmux(): void {
  if (spawnSync('tmux', ['-V']).error === undefined) return
  throw new Error('tmux is not installed: run `sudo apt-get install -y tmux`, or `npm test`, which does')
}

export const socketIn = (root: string) => join(root, 'tmux')

/** What a person would do by hand on that server; the output. */
export function tmuxIn(root: string, ...args: readonly string[]): string {
  return execFileSync('tmux', ['-u', '-S', socketIn(root), '-f', '/dev/null', ...args], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH ?? '', HOME: root },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

/** The server of that socket, and nothing else; it is gone afterwards, and a new one can take its socket. */
export function endServer(root: string): void {
  const ask = (...args: string[]) => spawnSync('tmux', ['-S', socketIn(root), ...args], { encoding: 'utf8' })
  const pid = ask('display-message', '-p', '#{pid}').stdout.trim()
  ask('kill-server')
  // It answers before it ends: who calls it in between reaches one that is about to go.
  const isRunning = () => /^[^Z\s]/.test(spawnSync('ps', ['-o', 'stat=', '-p', pid], { encoding: 'utf8' }).stdout.trim())
  for (let looks = 0; pid !== '' && isRunning() && looks < 1000; looks += 1) spawnSync('sleep', ['0.02'])
}
