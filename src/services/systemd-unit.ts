// The unit file of the server: rendered and read back. Pure.
import { AppError } from '../model/error.ts'
import { refuseControl } from './plain-text.ts'
import type { ServiceSpec } from './service.ts'

/**
 * KillMode=process: a tmux server that a worker's pane has started lives in the unit's cgroup, and with the default every stop or
 * restart would end it with all agents in it. What else the server has started ends by itself when the server goes.
 *
 * No hardening and no umask: both would be inherited by that tmux server, in which a person then cannot use sudo.
 * Exit status 2 (a folder that is not there, a bad setting) does not get better by trying again.
 */
export function renderUnit({ argv, env, workingDirectory }: ServiceSpec): string {
  const variables = Object.entries(env).map(([name, value]) => `Environment=${quoteVariable(name, value)}`)
  return `# Written by \`offshoot service install\`, which also overwrites it.
[Unit]
Description=offshoot server
StartLimitIntervalSec=60
StartLimitBurst=5

[Service]
Type=exec
ExecStart=${argv.map(quoteArgument).join(' ')}
WorkingDirectory=${quotePath(workingDirectory)}
${variables.join('\n')}
Restart=on-failure
RestartSec=2
RestartPreventExitStatus=2
TimeoutStopSec=20
KillMode=process

[Install]
WantedBy=default.target
`
}

/** In double quotes; `%` begins a specifier and `$` a variable. A line cannot hold a newline, whatever is quoted. */
function quoteArgument(text: string): string {
  return `"${escapeText(text).replaceAll('$', '$$$$')}"`
}

/** Variables are not expanded here, so `$` stays as it is. */
function quoteVariable(name: string, value: string): string {
  if (!/^[A-Za-z_]\w*$/.test(name)) throw new AppError('usage', `"${name}" is no name of a variable.`)
  return `"${escapeText(`${name}=${value}`)}"`
}

/** Not quoted (quotes would be part of the path), only specifiers are read. */
function quotePath(path: string): string {
  if (path !== path.trim() || path.endsWith('\\')) {
    throw new AppError('usage', `${JSON.stringify(path)} cannot stand in a unit file: its end would be lost.`)
  }
  return refuseControl(path).replaceAll('%', '%%')
}

function escapeText(text: string): string {
  return refuseControl(text).replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('%', '%%')
}

/** The words of `ExecStart` as we write it; `null` in a file that is not ours. */
export function readArgv(unit: string): readonly string[] | null {
  const line = /^ExecStart=(.*)$/m.exec(unit)?.[1]
  if (line === undefined) return null
  const words = [...line.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, word = '']) => word)
  return words.map((word) => word.replaceAll(/\\(.)/g, '$1').replaceAll('%%', '%').replaceAll('$$', '$'))
}
