// What the stand-ins for `wezterm` and `osascript` share: a tmux of their own in which their panes really run, and strictness
// about how they are called. Run by the test through small executables; knows nothing of offshoot.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export const folder = process.env.STAND_IN_FOLDER

export function tmux(args, input = '') {
  const env = { PATH: process.env.STAND_IN_PATH, HOME: folder }
  const flags = ['-u', '-S', join(folder, 'tmux'), '-f', '/dev/null']
  return spawnSync('tmux', [...flags, ...args], { env, encoding: 'utf8', input })
}

export function fail(text) {
  process.stderr.write(`${text}\n`)
  process.exit(1)
}

/** A call that the documentation does not have: the test must see it, whatever becomes of the call. */
export function violate(text) {
  writeFileSync(join(folder, 'violation'), `${text}\n`, { flag: 'a' })
  fail(`violation: ${text}`)
}

/** What a test wants the program to say instead, once or always. */
export function scripted() {
  const path = join(folder, 'says')
  if (existsSync(path)) fail(readFileSync(path, 'utf8').trimEnd())
}

export const stdin = () => readFileSync(0, 'utf8')

/** Starts argv in a new pane, with exactly this environment and folder; `idName`: the variable that gets the pane's number. */
export function spawnPane(argv, cwd, env, idName = 'PANE') {
  const withId = 'exec env -i "$0=$(printf %s "$TMUX_PANE" | tr -d %)" "$@"'
  const assignments = Object.entries(env).map(([name, value]) => `${name}=${value}`)
  const words = ['-c', cwd.replaceAll('#', '##'), '--', 'sh', '-c', withId, idName, ...assignments, ...argv]
  tmux(['new-session', '-d', '-s', 'main', '-x', '200', '-y', '50', '--', 'sleep', '600']) // there already, from the second on
  const result = tmux([
    'new-window',
    '-d',
    '-t',
    '=main:',
    '-P',
    '-F',
    '#{pane_id}',
    ...words.map((word) => word.replace(/;$/, '\\;')),
  ])
  if (result.status !== 0) fail(result.stderr)
  return result.stdout.trim()
}

export function listPanes() {
  const { stdout } = tmux(['list-panes', '-a', '-F', '#{pane_dead} #{pane_id} #{pane_tty} #{pane_title}'])
  return [...stdout.matchAll(/^0 (%\d+) (\S+) (.*)$/gm)].map(([, id, tty, title]) => ({ id, tty, title }))
}

export function pasteInto(id, text, bracketed) {
  tmux(['load-buffer', '-b', 'q', '-', ';', 'paste-buffer', '-d', ...(bracketed ? ['-p'] : []), '-r', '-b', 'q', '-t', id], text)
}

export const screenOf = (id) => tmux(['capture-pane', '-p', '-t', id]).stdout
