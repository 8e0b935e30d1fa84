// The server as a launchd agent of the user. `bootout` only begins to unload: a `bootstrap` that comes too early fails with
// "5: Input/output error", so what is loaded is looked at before and after each step.
import { existsSync, statSync, truncateSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import writeFileAtomic from 'write-file-atomic'
import type { ExecResult } from '../lib/exec.ts'
import { readIfThere } from '../lib/read-if-there.ts'
import { AppError } from '../model/error.ts'
import { label, readPlist, renderPlist, type SessionType } from './launchd-plist.ts'
import { noManager } from './no-manager.ts'
import type { ServiceManager, ServiceOptions, ServiceStatus } from './service.ts'
import { tailOf } from './tail.ts'

const commandMs = 30_000
const tries = 20
const pauseMs = 500
/** launchd never rotates what it writes. */
const maxLogBytes = 5 * 1024 * 1024

export function createLaunchd({ exec, home, vars, uid, logs, pause }: ServiceOptions): ServiceManager {
  const file = join(home, 'Library', 'LaunchAgents', `${label}.plist`)
  const logFile = join(logs, 'service.log')
  const run = (command: string, args: readonly string[]) =>
    exec(command, args, { cwd: '/', env: { ...vars, LC_ALL: 'C' }, timeoutMs: commandMs })
  const launchctl = (...args: string[]) => run('launchctl', args)

  /** Without a login at the screen there is no gui domain. */
  async function findDomain(): Promise<{ readonly domain: string; readonly session: SessionType }> {
    const result = await launchctl('print', `gui/${uid}`)
    if (result.missing) throw noManager('there is no launchctl')
    return result.exitCode === 0 ? { domain: `gui/${uid}`, session: 'Aqua' } : { domain: `user/${uid}`, session: 'Background' }
  }

  /** Where it is loaded now: an earlier install may have been made in the other domain. */
  async function findLoaded(): Promise<{ readonly domain: string; readonly text: string } | null> {
    for (const domain of [`gui/${uid}`, `user/${uid}`]) {
      const { exitCode, stdout, missing } = await launchctl('print', `${domain}/${label}`)
      if (missing) throw noManager('there is no launchctl')
      if (exitCode === 0) return { domain, text: stdout }
    }
    return null
  }

  async function unload(domain: string, steps: string[]): Promise<void> {
    const result = await launchctl('bootout', `${domain}/${label}`)
    if (result.exitCode !== 0 && !isNotLoaded(result) && !isInProgress(result)) throw faultOf('bootout', result)
    for (let left = tries; (await findLoaded()) !== null; left -= 1) {
      if (left === 0)
        throw new AppError('failed', `launchd does not unload ${label}.`, { hint: `See \`launchctl print ${domain}/${label}\`.` })
      await pause(pauseMs)
    }
    steps.push(`launchctl bootout ${domain}/${label}`)
  }

  async function load(domain: string, steps: string[]): Promise<void> {
    await launchctl('enable', `${domain}/${label}`) // a disabled one cannot be loaded, and says only "5"
    for (let left = tries; ; left -= 1) {
      const result = await launchctl('bootstrap', domain, file)
      if (result.exitCode === 0) break
      // Another process may have loaded it; else an unloading that still runs.
      if ((await findLoaded()) !== null) break
      if (!isRace(result) || left === 0) throw faultOf('bootstrap', result)
      await pause(pauseMs)
    }
    steps.push(`launchctl bootstrap ${domain} ${file}`)
  }

  async function check(text: string): Promise<void> {
    const result = await exec('plutil', ['-lint', '-s', '-'], { cwd: '/', env: { ...vars }, timeoutMs: commandMs, input: text })
    if (!result.missing && result.exitCode !== 0) {
      throw new AppError('failed', `The property list is not valid: ${(result.stderr || result.stdout).trim()}`)
    }
  }

  return {
    id: 'launchd',

    async install(spec, { dryRun = false } = {}) {
      if (dryRun) {
        const text = renderPlist(spec, logFile, 'Aqua')
        const steps = [`write ${file}`, `launchctl bootstrap gui/${uid} ${file}`]
        return { manager: 'launchd', file, text, steps, hints: [] }
      }
      const { domain, session } = await findDomain()
      const text = renderPlist(spec, logFile, session)
      const steps: string[] = []
      const isNew = readIfThere(file) !== text
      await mkdir(logs, { recursive: true, mode: 0o700 })
      shorten(logFile)
      if (isNew) {
        await check(text)
        await mkdir(dirname(file), { recursive: true })
        await writeFileAtomic(file, text, { mode: 0o644 })
        steps.push(`wrote ${file}`)
      }
      const loaded = await findLoaded()
      if (loaded !== null && (isNew || loaded.domain !== domain)) await unload(loaded.domain, steps)
      if (loaded === null || isNew || loaded.domain !== domain) await load(domain, steps)
      else if (!/^\s*state = running$/m.test(loaded.text)) {
        const result = await launchctl('kickstart', `${domain}/${label}`)
        if (result.exitCode !== 0) throw faultOf('kickstart', result)
        steps.push(`launchctl kickstart ${domain}/${label}`)
      }
      if (steps.length === 0) steps.push(`nothing to do: ${file} is as it should be, and the service runs`)
      const hints =
        session === 'Background' ? ['There is no login at the screen: it runs in the background session of your user.'] : []
      return { manager: 'launchd', file, text, steps, hints: [...hints, iterm2Hint] }
    },

    async uninstall({ dryRun = false } = {}) {
      const report = { manager: 'launchd', file, text: '', hints: [] } as const
      if (dryRun)
        return {
          ...report,
          steps: existsSync(file)
            ? [`launchctl bootout gui/${uid}/${label}`, `remove ${file}`]
            : [`nothing to do: there is no ${file}`],
        }
      const steps: string[] = []
      const loaded = await findLoaded()
      if (loaded !== null) await unload(loaded.domain, steps)
      if (existsSync(file)) {
        await rm(file, { force: true })
        steps.push(`removed ${file}`)
      }
      return { ...report, steps: steps.length > 0 ? steps : [`nothing to do: there is no ${file}`] }
    },

    async status(): Promise<ServiceStatus> {
      const text = readIfThere(file)
      const argv = text === null ? null : readPlist(text)
      const known = { manager: 'launchd' as const, file, installed: text !== null, argv, restarts: null }
      try {
        const loaded = await findLoaded()
        if (loaded === null) return { ...known, state: 'stopped', pid: null, lastExit: null, problem: null }
        return { ...known, ...readPrint(loaded.text), problem: null }
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        return { ...known, state: 'unknown', pid: null, lastExit: null, problem: error.message }
      }
    },

    async logs(lines) {
      return tailOf(logFile, lines)
    },
  }
}

const iterm2Hint = 'A service has no leave to open iTerm2 windows: start such workers from your terminal, or use tmux.'

/** Its format is not promised; what is not found is not said. */
function readPrint(text: string): Pick<ServiceStatus, 'state' | 'pid' | 'lastExit'> {
  const field = (name: string) => new RegExp(`^\\s*${name} = (.+)$`, 'm').exec(text)?.[1]?.trim() ?? null
  const number = (value: string | null) => (value !== null && /^\d+/.test(value) ? Number.parseInt(value, 10) : null)
  const state = field('state')
  const lastExit = number(field('last exit code'))
  if (state === 'running') return { state, pid: number(field('pid')), lastExit }
  if (state === null) return { state: 'unknown', pid: null, lastExit }
  return { state: (lastExit ?? 0) === 0 ? 'stopped' : 'failed', pid: null, lastExit }
}

function isNotLoaded({ stderr, exitCode }: ExecResult): boolean {
  return exitCode === 113 || exitCode === 3 || /Could not find service|No such process/i.test(stderr)
}

function isInProgress({ stderr, exitCode }: ExecResult): boolean {
  return exitCode === 36 || /Operation now in progress/i.test(stderr)
}

function isRace({ stderr, exitCode }: ExecResult): boolean {
  return exitCode === 5 || exitCode === 37 || /\b5: Input\/output error|Operation already in progress/.test(stderr)
}

function faultOf(verb: string, { stderr, exitCode, timedOut }: ExecResult): AppError {
  if (timedOut) return new AppError('failed', `launchctl ${verb} took too long.`)
  const said = stderr.trim().split('\n').at(-1) || `exit ${exitCode}`
  if (/\b125: Domain does not support/.test(stderr)) {
    return noManager(
      `launchd takes no services from this login (${said})`,
      'Log in at the screen once, not by ssh or sudo, and install it there.',
    )
  }
  return new AppError('failed', `launchctl ${verb} failed: ${said}`, {
    hint: `See \`launchctl print-disabled\` and \`plutil -lint\` of the file.`,
  })
}

function shorten(path: string): void {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > maxLogBytes) truncateSync(path)
}
