// The server as a systemd user unit. Where the system does not run systemd, or the user has no manager, it says so: a daemon is
// never faked.
import { existsSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import writeFileAtomic from 'write-file-atomic'
import type { ExecResult } from '../lib/exec.ts'
import { readIfThere } from '../lib/read-if-there.ts'
import { AppError } from '../model/error.ts'
import { noManager } from './no-manager.ts'
import type { ServiceManager, ServiceOptions, ServiceStatus } from './service.ts'
import { readArgv, renderUnit } from './systemd-unit.ts'
import { tailOf } from './tail.ts'

export interface SystemdOptions extends ServiceOptions {
  /** sd_booted(3): that systemctl is installed says nothing. */
  readonly bootedFolder?: string
  readonly runtimeFolder?: string
}

const unitName = 'offshoot.service'
const commandMs = 30_000
const looks = 15
const lookMs = 200

export function createSystemd(options: SystemdOptions): ServiceManager {
  const { exec, home, vars, uid, logs, pause, bootedFolder = '/run/systemd/system' } = options
  const file = join(vars.XDG_CONFIG_HOME || join(home, '.config'), 'systemd', 'user', unitName)
  const runtime = vars.XDG_RUNTIME_DIR || (options.runtimeFolder ?? `/run/user/${uid}`)
  // From su, cron or a service of the system the variable is not set, though the manager runs.
  const env = { ...vars, ...(existsSync(runtime) ? { XDG_RUNTIME_DIR: runtime } : {}), LC_ALL: 'C', SYSTEMD_COLORS: '0' }
  const run = (command: string, args: readonly string[]) => exec(command, args, { cwd: '/', env, timeoutMs: commandMs })
  const userctl = (...args: string[]) => run('systemctl', ['--user', ...args])

  async function must(steps: string[], ...args: string[]): Promise<void> {
    const result = await userctl(...args)
    if (result.exitCode !== 0) throw faultOf(result, args, uid)
    steps.push(`systemctl --user ${args.join(' ')}`)
  }

  async function show(): Promise<ReadonlyMap<string, string>> {
    const names = 'LoadState,ActiveState,SubState,MainPID,ExecMainStatus,NRestarts,UnitFileState'
    const result = await userctl('show', '-p', names, unitName)
    if (result.exitCode !== 0) throw faultOf(result, ['show'], uid)
    return new Map(
      result.stdout.split('\n').flatMap((line) => {
        const at = line.indexOf('=')
        return at === -1 ? [] : [[line.slice(0, at), line.slice(at + 1)] as const]
      }),
    )
  }

  /** It may fall right after it was started: a port that is taken, a folder that is gone. */
  async function settled(): Promise<ReadonlyMap<string, string>> {
    for (let look = 1; ; look += 1) {
      const facts = await show()
      if (look === looks || (look > 5 && facts.get('ActiveState') === 'active') || facts.get('ActiveState') === 'failed')
        return facts
      await pause(lookMs)
    }
  }

  async function lingerHint(): Promise<readonly string[]> {
    const { stdout, exitCode } = await run('loginctl', ['show-user', String(uid), '-p', 'Linger', '--value'])
    if (exitCode === 0 && stdout.trim() === 'yes') return []
    return ['It runs while you are logged in; `loginctl enable-linger` lets it start with the machine and stay after logout.']
  }

  return {
    id: 'systemd',

    async install(spec, { dryRun = false } = {}) {
      const text = renderUnit(spec)
      const isNew = readIfThere(file) !== text
      if (dryRun) {
        const steps = [
          ...(isNew ? [`write ${file}`] : []),
          'systemctl --user daemon-reload',
          `systemctl --user enable --now ${unitName}`,
        ]
        return { manager: 'systemd', file, text, steps, hints: [] }
      }
      if (!existsSync(bootedFolder)) throw noManager('systemd does not run here')
      const before = await show() // also tells whether there is a manager to talk to, before anything is written
      const steps: string[] = []
      if (isNew) {
        await mkdir(dirname(file), { recursive: true })
        await writeFileAtomic(file, text, { mode: 0o644 })
        steps.push(`wrote ${file}`)
        await must(steps, 'daemon-reload')
      }
      const wasActive = before.get('ActiveState') === 'active'
      if (before.get('UnitFileState') !== 'enabled' || !wasActive) {
        if (before.get('ActiveState') === 'failed') await userctl('reset-failed', unitName)
        await must(steps, 'enable', '--now', unitName)
      } else if (isNew) await must(steps, 'restart', unitName)
      const after = await settled()
      if (after.get('ActiveState') !== 'active') {
        throw new AppError(
          'failed',
          `The service was installed, but it is ${after.get('ActiveState')} (${after.get('SubState')}).`,
          {
            hint: 'See `offshoot service logs`; `offshoot service uninstall` takes it away again.',
            details: { file, steps },
          },
        )
      }
      if (steps.length === 0) steps.push(`nothing to do: ${file} is as it should be, and the service runs`)
      return { manager: 'systemd', file, text, steps, hints: await lingerHint() }
    },

    async uninstall({ dryRun = false } = {}) {
      const isThere = existsSync(file)
      const report = { manager: 'systemd', file, text: '', hints: [] } as const
      if (!isThere) return { ...report, steps: [`nothing to do: there is no ${file}`] }
      if (dryRun)
        return {
          ...report,
          steps: [`systemctl --user disable --now ${unitName}`, `remove ${file}`, 'systemctl --user daemon-reload'],
        }
      const steps: string[] = []
      const isUp = existsSync(bootedFolder)
      if (isUp) await must(steps, 'disable', '--now', unitName)
      await rm(file, { force: true })
      steps.push(`removed ${file}`)
      if (isUp) {
        await must(steps, 'daemon-reload')
        await userctl('reset-failed', unitName) // fails where nothing had failed
      }
      return { ...report, steps }
    },

    async status(): Promise<ServiceStatus> {
      const text = readIfThere(file)
      const argv = text === null ? null : readArgv(text)
      const known = { manager: 'systemd' as const, file, installed: text !== null, argv }
      const unknown = { ...known, state: 'unknown' as const, pid: null, lastExit: null, restarts: null }
      if (!existsSync(bootedFolder)) return { ...unknown, problem: 'systemd does not run here' }
      try {
        const facts = await show()
        const number = (name: string) => Number(facts.get(name) ?? '') || null
        const state = stateOf(facts.get('ActiveState'))
        return {
          ...known,
          state,
          pid: number('MainPID'),
          lastExit: exitOf(facts),
          restarts: number('NRestarts') ?? 0,
          problem: null,
        }
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        return { ...unknown, problem: error.message }
      }
    },

    /** The journal of a user is not kept everywhere: then our own log has to do. */
    async logs(lines) {
      const { stdout, exitCode } = await run('journalctl', [
        '--user',
        '-u',
        unitName,
        '-n',
        String(lines),
        '-o',
        'short-iso',
        '--no-pager',
      ])
      const told = stdout.split('\n').filter((line) => line !== '' && !/^-- .* --$|^No journal files were/.test(line))
      return exitCode === 0 && told.length > 0 ? told : tailOf(join(logs, 'offshoot.log'), lines)
    },
  }
}

function stateOf(active: string | undefined): ServiceStatus['state'] {
  if (active === 'active') return 'running'
  if (active === 'activating' || active === 'reloading') return 'starting'
  if (active === 'failed') return 'failed'
  return active === undefined ? 'unknown' : 'stopped'
}

/** Of the run before, or of the one that failed; 0 also means that it never ran. */
function exitOf(facts: ReadonlyMap<string, string>): number | null {
  const status = facts.get('ExecMainStatus')
  return status === undefined || status === '' ? null : Number(status)
}

/** systemd 252's own words. */
function faultOf({ stderr, missing, timedOut }: ExecResult, args: readonly string[], uid: number): AppError {
  const said = stderr.trim().split('\n').at(-1) ?? ''
  if (missing) return noManager('there is no systemctl')
  if (/not been booted with systemd/.test(stderr)) return noManager('systemd does not run here')
  if (/Failed to connect to bus/.test(stderr)) {
    return noManager(
      `your user has no service manager now (${said})`,
      `In a login session of yours it has one; from su or cron set XDG_RUNTIME_DIR=/run/user/${uid}.`,
    )
  }
  return new AppError(
    'failed',
    timedOut ? `systemctl ${args.join(' ')} took too long.` : `systemctl ${args.join(' ')} failed: ${said}`,
    {
      hint: 'See `systemctl --user status offshoot.service`.',
    },
  )
}
