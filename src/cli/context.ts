// What a command is given: where it stands, where its answer goes, and the app, opened only when asked for.
import { homedir } from 'node:os'
import type { App, AppOptions } from '../app.ts'
import { type Paths, resolvePaths, type Surroundings } from '../config/paths.ts'
import { type Resolved, readSetting, readSettings } from '../config/read.ts'
import type { SettingKey, SettingValue } from '../config/settings.ts'
import { createLog, type Log } from '../lib/log.ts'
import type { ProcessOwner } from '../lib/process-owner.ts'
import { AppError } from '../model/error.ts'
import type { RecoverReport } from '../model/fork.ts'
import type { NameOption } from '../model/option-names.ts'
import { nameFlag } from './name-flag.ts'
import { createOutput, type Output } from './output.ts'
import { recoveryNotes } from './recovery-notes.ts'
import { findTerminal, type Terminal } from './terminal.ts'

export type SignalListener = (signal: NodeJS.Signals) => void

export interface Context extends Surroundings {
  readonly now: () => number
  readonly paths: Paths
  readonly out: Output
  readonly log: Log
  /** The process to signal in place of this one (supervise.ts); `null`: there is none. */
  readonly supervisor: number | null
  /** `null`: nobody can be asked. Functions, because touching stdin opens it. */
  terminal(): Terminal | null
  /** What is piped into the command. */
  stdin(): AsyncIterable<Uint8Array | string>
  /** Opens the app on first use, and anew after `close`. `nameOption`: how its messages name options; default: as flags. */
  app(nameOption?: NameOption): Promise<App>
  setting<T extends SettingValue>(key: SettingKey): Promise<T>
  /** All of them, each checked: for `config` and `doctor`. */
  settings(): Promise<readonly Resolved[]>
  /** Runs when the command ends, however it ends (an interrupt included). */
  onExit(cleanup: () => void): void
  /** Hands every signal to `listener` instead of ending the command; gives what takes that back. */
  takeSignals(listener: SignalListener): () => void
  /** False when nobody took it: then the command ends. */
  passSignal(signal: NodeJS.Signals): boolean
  close(): void
}

export interface ContextOptions extends Surroundings {
  readonly out: Output
  readonly now: () => number
  readonly supervisor?: number | null
  readonly terminal?: () => Terminal | null
  readonly stdin?: () => AsyncIterable<Uint8Array | string>
}

export function createContext(options: ContextOptions): Context {
  const { home, vars, cwd, now, out } = options
  const paths = resolvePaths(options)
  const cleanups: (() => void)[] = []
  let opened: Promise<App> | undefined
  let listener: SignalListener | undefined
  const log = createLog({ folder: paths.logs, now })
  const onRepair = (movedTo: string) => {
    out.note(`The database was damaged; it is kept as ${movedTo} and has been rebuilt from the agents' files.`)
    log.write('warn', 'database rebuilt', { movedTo })
  }
  const onRecovered = (report: RecoverReport) => {
    for (const note of recoveryNotes(report)) out.note(note)
    for (const [event, found] of Object.entries(report)) {
      for (const { id, kind } of found) log.write('warn', 'cut off', { id, kind, outcome: event })
    }
  }
  const reachHolder = async (owner: ProcessOwner) => (await import('../server/reach-holder.ts')).reachHolder(paths.root, owner)
  return {
    home,
    vars,
    cwd,
    now,
    paths,
    out,
    log,
    supervisor: options.supervisor ?? null,
    terminal: options.terminal ?? (() => null),
    stdin: options.stdin ?? nothingPiped,
    app(nameOption = nameFlag) {
      opened ??= openApp({ home, vars, cwd, now, onRepair, onRecovered, reachHolder, nameOption }).then((app) => {
        cleanups.push(() => app.close())
        return app
      })
      return opened
    },
    setting: (key) => readSetting({ file: paths.config, vars }, key),
    settings: () => readSettings({ file: paths.config, vars }),
    onExit: (cleanup) => void cleanups.push(cleanup),
    takeSignals(taken) {
      listener = taken
      return () => {
        listener = undefined
      }
    },
    passSignal(signal) {
      listener?.(signal)
      return listener !== undefined
    },
    close() {
      opened = undefined
      for (let cleanup = cleanups.pop(); cleanup !== undefined; cleanup = cleanups.pop()) cleanup()
    },
  }
}

/** The context of a real process. */
export function processContext(supervisor: number | null): Context {
  const vars = process.env
  const home = vars.HOME || homedir()
  return createContext({
    home,
    vars,
    cwd: currentFolder(home),
    now: Date.now,
    supervisor,
    out: createOutput(process.stdout, process.stderr, vars),
    terminal: () => findTerminal(process),
    stdin: () => process.stdin,
  })
}

async function* nothingPiped(): AsyncGenerator<string> {
  yield ''
}

/** A folder that was deleted under us must not stop `offshoot sessions --all`. */
function currentFolder(home: string): string {
  try {
    return process.cwd()
  } catch {
    return home // then no repository is "this" one
  }
}

async function openApp(options: AppOptions): Promise<App> {
  try {
    const { createApp } = await import('../app.ts')
    return createApp(options)
  } catch (cause) {
    if (!isUnbuiltModule(cause)) throw cause
    throw new AppError('tool_missing', `The SQLite module is not built for this Node (${process.version})`, {
      cause,
      hint: 'Run `npm rebuild better-sqlite3` where offshoot is installed; without a prebuilt file it needs a C++ compiler, make and Python.',
    })
  }
}

function isUnbuiltModule(error: unknown): boolean {
  return error instanceof Error && /better[-_]sqlite3|NODE_MODULE_VERSION|bindings file/.test(error.message)
}
