// What a command is given: where it stands, where its answer goes, and the app, opened only when asked for.
import { homedir } from 'node:os'
import type { App, AppOptions } from '../app.ts'
import { type Paths, resolvePaths, type Surroundings } from '../config/paths.ts'
import { type Resolved, readSetting, readSettings } from '../config/read.ts'
import type { SettingKey, SettingValue } from '../config/settings.ts'
import { createLog, type Log } from '../lib/log.ts'
import { AppError } from '../model/error.ts'
import { createOutput, type Output } from './output.ts'

export interface Context extends Surroundings {
  readonly now: () => number
  readonly paths: Paths
  readonly out: Output
  readonly log: Log
  /** Opens the app on first use. */
  app(): Promise<App>
  setting<T extends SettingValue>(key: SettingKey): Promise<T>
  /** All of them, each checked: for `config` and `doctor`. */
  settings(): Promise<readonly Resolved[]>
  /** Runs when the command ends, however it ends (an interrupt included). */
  onExit(cleanup: () => void): void
  close(): void
}

export interface ContextOptions extends Surroundings {
  readonly out: Output
  readonly now: () => number
}

export function createContext(options: ContextOptions): Context {
  const { home, vars, cwd, now, out } = options
  const paths = resolvePaths(options)
  const cleanups: (() => void)[] = []
  let opened: Promise<App> | undefined
  const log = createLog({ folder: paths.logs, now })
  const onRepair = (movedTo: string) => {
    out.note(`The database was damaged; it is kept as ${movedTo} and has been rebuilt from the agents' files.`)
    log.write('warn', 'database rebuilt', { movedTo })
  }
  return {
    home,
    vars,
    cwd,
    now,
    paths,
    out,
    log,
    app() {
      opened ??= openApp({ home, vars, cwd, now, onRepair }).then((app) => {
        cleanups.push(() => app.close())
        return app
      })
      return opened
    },
    setting: (key) => readSetting({ file: paths.config, vars }, key),
    settings: () => readSettings({ file: paths.config, vars }),
    onExit: (cleanup) => void cleanups.push(cleanup),
    close() {
      for (let cleanup = cleanups.pop(); cleanup !== undefined; cleanup = cleanups.pop()) cleanup()
    },
  }
}

/** The context of a real process. */
export function processContext(): Context {
  const vars = process.env
  const home = vars.HOME || homedir()
  return createContext({
    home,
    vars,
    cwd: currentFolder(home),
    now: Date.now,
    out: createOutput(process.stdout, process.stderr, vars),
  })
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
