#!/usr/bin/env node
// What a terminal pane runs: `run-pane.js <job folder>`. Starts the agent of job.json on the pane's own terminal and records its
// pid (started.json) and its end (exit.json) beside it. Stands alone and loads nothing of offshoot: the agent waits for it.
import { spawn, spawnSync } from 'node:child_process'
import { readFileSync, readlinkSync, readSync, renameSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { constants } from 'node:os'
import { basename, join } from 'node:path'

/** What the pane's own terminal says of itself; all else is the environment of the offshoot that opened the pane. */
const ofTerminal = /^(TERM|TERM_.*|TERMINFO|TERMINFO_DIRS|COLORTERM|TMUX|TMUX_PANE)$/
/** Inside tmux these are those of the terminal in which its server was once started. */
const outsideTmux = /^(LC_TERMINAL|WEZTERM_|ITERM)/
/** Ctrl-C and the like reach the agent from the terminal itself: passing them on would double them. */
const fromTerminal = ['SIGINT', 'SIGQUIT']
/** Colours, cursor, mouse, focus, paste and key modes, the other screen: what a killed program leaves switched on. */
const calm =
  '\u001b[?1000l\u001b[?1002l\u001b[?1003l\u001b[?1006l\u001b[?1004l\u001b[?2004l\u001b[>4m\u001b[<u\u001b[?1049l\u001b[?25h\u001b[0m\r\n'

/** By these the pane is found again where whoever opened it was killed before it could write that down. */
const ofPane = ['TMUX', 'TMUX_PANE', 'WEZTERM_PANE', 'ITERM_SESSION_ID']

const folder = process.argv[2] ?? ''
const job = takeJob()
let leaving = false
if (job.tmuxTag !== null) claimPane()

// Before the agent is there: a signal that comes with its first breath must not end us.
for (const signal of fromTerminal) process.on(signal, () => undefined)
// Of a terminal that is gone the kernel tells only us, the head of its session; all others not before we end.
for (const signal of ['SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    leaving = true
    child.kill(signal)
  })
}
// Agents stop their whole group on Ctrl-Z. There is no shell here that could bring them back, so they are at once.
process.on('SIGTSTP', () => child.kill('SIGCONT'))
const child = spawn(job.argv[0], job.argv.slice(1), { cwd: job.cwd, env: environment(), stdio: 'inherit' })
const ended = new Promise((done) => {
  child.on('error', (error) => done({ status: 127, signal: null, error: error.message }))
  child.on('exit', (status, signal) => done({ status, signal, error: null }))
})
if (child.pid !== undefined) record('started.json', startOf(child.pid))

const end = await ended
record('exit.json', end)
if (end.signal !== null) calmTerminal()
// What failed stays to be read. Not by `remain-on-exit failed`: tmux 3.3a may close the pane before it knows the status.
if (job.tmuxTag !== null && (leaving || end.status === 0)) tmux('remain-on-exit', 'off')
if (end.error !== null) say(`${job.argv[0]} could not be started: ${end.error}`)
if (job.hold && !leaving && end.status !== 0) hold()
process.exit(end.status ?? 128 + (constants.signals[end.signal] ?? 0))

/** Reads the job once: its environment and prompt, which may hold secrets, leave the file before the agent starts. */
function takeJob() {
  const path = join(folder, 'job.json')
  try {
    const { mode, uid } = statSync(path)
    if (uid !== process.getuid() || (mode & 0o077) !== 0) refuse(`${path} is not a file of yours alone.`)
    const job = JSON.parse(readFileSync(path, 'utf8'))
    if (job.env === undefined) refuse(`What ${path} says was started already.`)
    record('job.json', { program: job.argv[0], cwd: job.cwd })
    return job
  } catch (error) {
    return refuse(`${path} cannot be used: ${error.message}`)
  }
}

/** Before the agent starts, so that no pane of ours is ever without its mark. */
function claimPane() {
  const { status, stderr } = tmux('@offshoot_worker', job.tmuxTag, 'remain-on-exit', 'on')
  if (status === 0) return
  const error = `tmux does not let us mark the pane: ${stderr ?? ''}`.trim()
  record('exit.json', { status: 1, signal: null, error })
  refuse(error)
}

/** Sets options of the pane we run in, and of no other. */
function tmux(...options) {
  const pane = process.env.TMUX_PANE ?? ''
  const commands = []
  for (let at = 0; at < options.length; at += 2) commands.push('set-option', '-p', '-t', pane, options[at], options[at + 1], ';')
  return spawnSync('tmux', commands, { encoding: 'utf8', stdio: ['ignore', 'ignore', 'pipe'], timeout: 10_000 })
}

function environment() {
  const isOwn = (name) => ofTerminal.test(name) || (process.env.TMUX === undefined && outsideTmux.test(name))
  const own = Object.entries(process.env).filter(([name]) => isOwn(name) && !job.unset.includes(name))
  return { ...Object.fromEntries(own), ...job.env }
}

function startOf(pid) {
  const { WEZTERM_UNIX_SOCKET: socket = null } = process.env
  return {
    pid,
    procStart: procStart(pid),
    launcherPid: process.pid,
    launcherStart: procStart(process.pid),
    tty: ttyName(),
    socket,
    vars: Object.fromEntries(ofPane.map((name) => [name, process.env[name]])),
  }
}

/** Process numbers are used again; together with the time it started one is unique. */
function procStart(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null
  } catch {
    const { stdout } = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], {
      env: { ...process.env, LC_ALL: 'C' },
      encoding: 'utf8',
    })
    return stdout?.trim() || null
  }
}

function ttyName() {
  try {
    const path = readlinkSync('/proc/self/fd/0')
    return path.startsWith('/dev/') ? path : null
  } catch {
    const { stdout } = spawnSync('tty', { stdio: ['inherit', 'pipe', 'ignore'], encoding: 'utf8' })
    return stdout?.startsWith('/dev/') ? stdout.trim() : null
  }
}

/** Whole or not at all, as a reader sees it. */
function record(name, value) {
  const path = join(folder, name)
  try {
    writeFileSync(`${path}.part`, JSON.stringify(value), { mode: 0o600 })
    renameSync(`${path}.part`, path)
  } catch (error) {
    say(`${path} cannot be written: ${error.message}`) // the agent runs all the same
  }
}

function calmTerminal() {
  if (!process.stdout.isTTY) return
  say(calm, '')
  spawnSync('stty', ['sane'], { stdio: ['inherit', 'ignore', 'ignore'] })
}

/** Where the terminal would close the pane at once, and with it what the agent said last. */
function hold() {
  const how = end.signal === null ? `with status ${end.status}` : `by ${end.signal}`
  say(`\r\n${basename(job.argv[0])} ended ${how}. Press Enter to close.`)
  try {
    readSync(0, Buffer.alloc(256))
  } catch (error) {
    if (error.code !== 'EIO' && error.code !== 'EOF' && error.code !== 'EAGAIN') throw error // the terminal is gone
  }
}

function say(text, before = 'offshoot: ') {
  try {
    writeSync(2, before === '' ? text : `${before}${text}\r\n`)
  } catch (error) {
    leaving = error.code === 'EIO' || error.code === 'EPIPE' || leaving // nobody is left to read it
  }
}

function refuse(why) {
  say(why)
  process.exit(1)
}
