// Nothing is done to a pane unless the server itself, in the same breath, finds that it is ours and alive. tmux before 3.4 dies
// of a paste into a dead pane, with all the person's sessions, and ids are used again after a restart.
import { randomBytes } from 'node:crypto'
import { AppError } from '../model/error.ts'
import type { PaneRef } from './terminal.ts'
import type { TmuxCommand, TmuxServer } from './tmux-server.ts'

/** The pane option that makes a pane ours. */
export const tagOption = '@offshoot_worker'

/** No condition with a pane's id: here, unlike in `if-shell`, `%5` is taken for a part of a date. */
export const paneFormat = [
  ...['pane_id', 'pid', tagOption, 'pane_dead', 'pane_dead_status', 'pane_dead_signal'],
  ...['pane_input_off', 'pane_synchronized'],
]
  .map((name) => `#{${name}}`)
  .join('\t')

export interface TmuxPane {
  readonly dead: boolean
  readonly status: number | null
  readonly signal: number | null
  readonly inputOff: boolean
  readonly synchronized: boolean
}

/** `ours`: looking at it and closing it. `live`: putting something in. */
export type Need = 'ours' | 'live'

export interface Guarded {
  readonly before?: readonly TmuxCommand[]
  readonly input?: string
  /** tmux' own syntax: ids and names of ours only. */
  readonly commands: readonly string[]
  /** Instead, where the pane is not fit. */
  readonly otherwise?: readonly string[]
}

/** Gives what the commands print; throws where the pane is gone, another's, dead or blocked. */
export async function runGuarded(server: TmuxServer, pane: PaneRef, need: Need, guarded: Guarded): Promise<string> {
  checkRef(pane)
  const mark = `refused-${randomBytes(6).toString('hex')}`
  const otherwise = [...(guarded.otherwise ?? []), `display-message -p -t ${pane.id} '${mark}${paneFormat}'`]
  const choice = ['if-shell', '-F', '-t', pane.id, need === 'ours' ? isOurs(pane) : isFit(pane)]
  const commands = [...(guarded.before ?? []), [...choice, guarded.commands.join(' ; '), otherwise.join(' ; ')]]
  const call = { socket: pane.server, ...(guarded.input === undefined ? {} : { input: guarded.input }) }
  const printed = await server.ask(commands, call)
  if (!printed.startsWith(mark)) return printed
  const seen = parsePane(pane, printed.slice(mark.length))
  if (seen === null) throw new AppError('pane_gone', `tmux has no pane ${pane.id} of this worker any more.`)
  if (seen.dead) throw new AppError('worker_ended', `What ran in pane ${pane.id} has ended.`)
  const why = seen.inputOff ? 'Input of pane is switched off' : 'What is typed there goes to other panes too'
  throw new AppError('refused', `${why} (tmux pane ${pane.id}).`, {
    hint: `Run: tmux ${seen.inputOff ? `select-pane -e -t '${pane.id}'` : 'set-option -w synchronize-panes off'}`,
  })
}

/** What `paneFormat` printed; `null` when the pane is gone or another's. */
export function parsePane(pane: PaneRef, printed: string): TmuxPane | null {
  const [id, serverPid, tag, dead, status, signal, inputOff, synchronized] = printed.replace(/\n$/, '').split('\t')
  if (id !== pane.id || serverPid !== String(pane.serverPid) || tag !== pane.tag) return null
  return {
    dead: dead === '1',
    status: status ? Number(status) : null,
    signal: signal ? Number(signal) : null,
    inputOff: inputOff === '1',
    synchronized: synchronized === '1',
  }
}

/** A gone pane expands to nothing and so is not ours; `if-shell` alone would go on (3.3a). */
export function isOurs({ id, serverPid, tag }: PaneRef): string {
  return all(`#{==:#{pane_id},${id}}`, `#{==:#{pid},${serverPid ?? ''}}`, `#{==:#{${tagOption}},${tag}}`)
}

function isFit(pane: PaneRef): string {
  const unfit = '#{||:#{||:#{pane_dead},#{pane_input_off}},#{pane_synchronized}}'
  return all(isOurs(pane), `#{?${unfit},0,1}`)
}

function all(first: string, ...others: readonly string[]): string {
  return others.reduce((left, right) => `#{&&:${left},${right}}`, first)
}

/** It comes from a file of ours, but goes into tmux' own syntax. */
function checkRef({ id, serverPid, tag, server }: PaneRef): void {
  if (/^%\d+$/.test(id) && /^[\w-]+$/.test(tag) && Number.isInteger(serverPid) && server !== '') return
  throw new AppError('pane_gone', `${JSON.stringify(id)} names no pane of tmux.`)
}
