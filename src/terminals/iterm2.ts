// iTerm2, by osascript: scripts on stdin, values as arguments. It knows neither working directory nor environment nor exit
// status (the launcher does) and types text raw, so the marks of a bracketed paste are put around it by hand.
import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { anyFolder, type Exec, type ExecResult } from '../lib/exec.ts'
import { AppError } from '../model/error.ts'
import { checkCommand } from './check-command.ts'
import { cleanPaste, cleanTitle } from './clean.ts'
import { type Iterm2Script, iterm2Scripts } from './iterm2-scripts.ts'
import { checkNotEnded, statusByJob, withJob } from './job.ts'
import type { OpenPane, PaneKey, PaneRef, Terminal } from './terminal.ts'
import { waitForEnd, waitForStart } from './wait-started.ts'

export interface Iterm2Options {
  readonly exec: Exec
  readonly vars: Readonly<Record<string, string | undefined>>
  readonly folder: string
  readonly node: string
  readonly launcher: string
}

const timeoutMs = 30_000 // a person may have to allow it first
/** Well below what one argument may hold (Linux 128 KB, macOS 1 MB in all). */
const chunkCharacters = 16_000
const keys: Record<PaneKey, string> = { enter: '\r', escape: '\u001b', 'ctrl-c': '\u0003', 'ctrl-u': '\u0015' }
const openers = { window: 'openTab', session: 'openWindow', split: 'openSplit' } as const

export function createIterm2(options: Iterm2Options): Terminal {
  const { exec, vars, node, launcher } = options
  const inside = vars.TERM_PROGRAM === 'iTerm.app' && vars.ITERM_SESSION_ID !== undefined && vars.TMUX === undefined

  const run = (script: Iterm2Script, args: readonly string[]) =>
    exec('osascript', ['-', ...args], { cwd: anyFolder, env: vars, timeoutMs, input: iterm2Scripts[script] })

  /** What the script said after `ok`; `null` when there is no such session. */
  async function ask(script: Iterm2Script, ...args: readonly string[]): Promise<string | null> {
    const result = await run(script, args)
    if (result.exitCode !== 0) throw explain(result)
    const answer = result.stdout.replace(/\n$/, '')
    if (answer === 'not running') throw explain({ ...result, stderr: '(-600)' })
    return answer === 'gone' ? null : answer.replace(/^ok[ \n]?/, '')
  }

  /** iTerm2 splits its command itself, so that is one plain path: a script in the job's folder that runs the launcher. */
  async function openPane(pane: OpenPane, job: string): Promise<PaneRef> {
    const script = join(job, 'run')
    const words = [node, launcher, job].map((word) => `'${word.replaceAll("'", "'\\''")}'`)
    await writeFile(script, `#!/bin/sh\nunset NODE_OPTIONS\nexec ${words.join(' ')}\n`, { mode: 0o700, flag: 'wx' })
    await chmod(script, 0o700)
    const id = await ask(openers[pane.where ?? 'window'], commandOf(script), `=${cleanTitle(pane.title)}`)
    if (id === null || !/^[\w-]+$/.test(id))
      throw new AppError('terminal_unavailable', 'iTerm2 did not say which session it opened.')
    await waitForStart(job, async () => (await ask('find', id)) !== null)
    return { terminal: 'iterm2', server: '', serverPid: null, id, tag: pane.tag, job }
  }

  async function askPane(script: Iterm2Script, pane: PaneRef, ...args: readonly string[]): Promise<string> {
    const answer = await ask(script, pane.id, ...args)
    if (answer === null) throw new AppError('pane_gone', `iTerm2 has no session ${pane.id} any more.`)
    return answer
  }

  async function write(pane: PaneRef, text: string): Promise<void> {
    await checkNotEnded(pane)
    for (const chunk of chunksOf(text)) await askPane('write', pane, `=${chunk}`)
  }

  return {
    id: 'iterm2',
    label: 'iTerm2',
    async probe() {
      const result = await run('version', [])
      const answer = result.stdout.trim()
      const version = /^ok (.+)$/.exec(answer)?.[1] ?? null
      if (version !== null) return { installed: true, version, inside, problem: null }
      const error = explain(answer === 'not running' ? { ...result, stderr: '(-600)' } : result)
      return { installed: inside || isInstalled(result), version: null, inside, problem: `${error.message} ${error.hint}` }
    },
    async open(pane) {
      checkCommand(pane, vars.PATH)
      return withJob(options, pane, { hold: true }, (job) => openPane(pane, job))
    },
    locate({ vars: { ITERM_SESSION_ID: name = '' } = {} }) {
      const [, id] = /^w\d+t\d+p\d+:([\w-]+)$/.exec(name) ?? []
      return id === undefined ? null : { server: '', serverPid: null, id }
    },
    async paste(pane, text) {
      const clean = cleanPaste(text)
      if (clean !== '') await write(pane, `\u001b[200~${clean}\u001b[201~`)
    },
    key: (pane, key) => write(pane, keys[key]),
    async read(pane) {
      const [title = '', ...lines] = (await askPane('read', pane)).split('\n')
      return { lines, title: cleanTitle(title) }
    },
    status: async (pane) => statusByJob(pane, await isOpen(pane)),
    async focus(pane) {
      await askPane('focus', pane)
      return { shown: true, command: null }
    },
    async close(pane) {
      if ((await isOpen(pane)) && (await ask('close', pane.id)) !== null) await waitForEnd(pane.job)
    },
  }

  /** With iTerm2 itself all its sessions are closed. */
  async function isOpen(pane: PaneRef): Promise<boolean> {
    const result = await run('find', [pane.id])
    if (result.exitCode !== 0) throw explain(result)
    return result.stdout.trim() === 'ok'
  }
}

/** Blanks are all that quotes are needed for; a path with more than that could mean something to iTerm2. */
function commandOf(path: string): string {
  if (/^[\w/.@+,=-]+$/.test(path)) return path
  if (/^[\p{L}\p{N} _/.@+,=-]+$/u.test(path)) return `"${path}"`
  throw new AppError('terminal_unavailable', `iTerm2 cannot be told of a path like ${path}.`, {
    hint: 'Set OFFSHOOT_HOME to a folder whose name has only letters, digits, blanks and . _ - @ + , =',
  })
}

/** Never through the middle of a character. */
function* chunksOf(text: string): Iterable<string> {
  for (let start = 0; start < text.length; ) {
    let end = Math.min(start + chunkCharacters, text.length)
    if (end < text.length && /[\uD800-\uDBFF]/.test(text[end - 1] ?? '')) end -= 1
    yield text.slice(start, end)
    start = end
  }
}

function isInstalled(result: ExecResult): boolean {
  return !result.missing && !/-1728|-2741|-10814/.test(result.stderr)
}

function explain(result: ExecResult): AppError {
  const said = result.stderr.trim()
  const unavailable = (message: string, hint: string) => new AppError('terminal_unavailable', message, { hint })
  if (result.missing) return unavailable('There is no osascript here: iTerm2 runs on macOS only.', 'Use another `--terminal`.')
  if (result.timedOut) {
    return new AppError('timed_out', 'iTerm2 did not answer.', {
      hint: 'macOS may be asking whether it may be controlled: look for its question.',
    })
  }
  if (/-1743/.test(said)) {
    return unavailable(
      'macOS does not let offshoot control iTerm2 (-1743).',
      'Allow it in System Settings > Privacy & Security > Automation, for the app offshoot was started from. Where that app is not listed: tccutil reset AppleEvents, then run the command again from a terminal (a background service is not asked).',
    )
  }
  if (/-600\b/.test(said)) return unavailable('iTerm2 is not running.', 'Open it, then try again.')
  if (!isInstalled(result)) return unavailable('iTerm2 is not installed.', 'Install it, or use another `--terminal`.')
  return new AppError('failed', `iTerm2 refused: ${said || `osascript ended with ${result.exitCode ?? 'no status'}`}`)
}
