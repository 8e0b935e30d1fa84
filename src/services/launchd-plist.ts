// The property list of the server for launchd, rendered and read back. Pure.
import { build, parse } from 'plist'
import { refuseControl } from './plain-text.ts'
import type { ServiceSpec } from './service.ts'

export const label = 'offshoot.server'

/** `Background`: a login without a screen (ssh), where agents for the desktop are not loaded. */
export type SessionType = 'Aqua' | 'Background'

export function renderPlist({ argv, env, workingDirectory }: ServiceSpec, logFile: string, session: SessionType): string {
  const text = build({
    Label: label,
    ProgramArguments: argv.map(refuseControl),
    EnvironmentVariables: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, refuseControl(value)])),
    WorkingDirectory: refuseControl(workingDirectory),
    RunAtLoad: true,
    // After a failure only: one that was asked to stop has stopped.
    KeepAlive: { SuccessfulExit: false },
    ThrottleInterval: 10,
    // Background would throttle its disk and processor: people wait for its answers.
    ProcessType: 'Interactive',
    ExitTimeOut: 20,
    // What workers run in their panes outlives the server.
    AbandonProcessGroup: true,
    StandardOutPath: logFile,
    StandardErrorPath: logFile,
    ...(session === 'Background' ? { LimitLoadToSessionType: 'Background' } : {}),
  })
  return `${text}\n`
}

/** The words of the command; `null` in a file that is not ours. */
export function readPlist(text: string): readonly string[] | null {
  if (!text.includes('<plist')) return null // the parser would say so on stderr
  try {
    const value: unknown = parse(text)
    const argv = typeof value === 'object' && value !== null && 'ProgramArguments' in value ? value.ProgramArguments : null
    return Array.isArray(argv) && argv.every((word) => typeof word === 'string') ? argv : null
  } catch {
    return null // no property list
  }
}
