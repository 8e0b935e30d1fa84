// `$OFFSHOOT_HOME/server.json`: which server of this home runs, and where. Command line and MCP find it here; one home has one
// server. What a server that was killed left behind is recognised: process numbers are used again, so its start belongs to it.
import { rm } from 'node:fs/promises'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import writeFileAtomic from 'write-file-atomic'
import { isMissing } from '../lib/file-errors.ts'
import { withLockFile } from '../lib/lock-file.ts'
import { describeProcess, isRunning, type ProcessOwner } from '../lib/process-owner.ts'
import { loadRegularText } from '../lib/regular-file.ts'
import { AppError } from '../model/error.ts'
import { renderTime } from '../model/render.ts'

export interface ServerFile {
  /** The process to signal: the one that supervises the server, else the server itself. */
  readonly pid: number
  readonly host: string
  readonly port: number
  /** Random, of this run; `/health` tells it too: who answers there is who wrote this, and may be given the token. */
  readonly instance: string
  readonly version: string
  readonly startedAt: number
  /** The process that serves. */
  readonly owner: ProcessOwner
  /** The one that passes signals on to it; `null`: there is none. Without it the server is about to stop. */
  readonly supervisor: ProcessOwner | null
}

/** As long as a server may take to stop once its supervisor is gone. */
const stopMs = 20_000
const lookMs = 100

type Details = Pick<ServerFile, 'host' | 'instance' | 'version' | 'startedAt'> & {
  readonly supervisor?: number | null | undefined
}

export function urlOf({ host, port }: Pick<ServerFile, 'host' | 'port'>): string {
  // A server that listens on every address is reached on this machine's own.
  const name = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return `http://${isIP(name) === 6 ? `[${name}]` : name}:${port}`
}

/** The server of this home that runs now; `null` when there is none. */
export async function findServer(home: string): Promise<ServerFile | null> {
  const file = await readServerFile(home)
  return file !== null && isRunning(file.owner) ? file : null
}

/** Writes the file for as long as this process serves; refuses where another one of this home does. `listen` gives the port. */
export async function claimHome(home: string, details: Details, listen: () => Promise<number>): Promise<ServerFile> {
  const refuse = (running: string, pid: string) =>
    new AppError('server_running', `A server of this home runs already${running} (process ${pid}).`)
  return withLockFile(
    join(home, 'server.lock'),
    async () => {
      const running = await findRemaining(home)
      if (running !== null && running.owner.pid !== process.pid) {
        throw new AppError('server_running', `A server of this home runs already: ${urlOf(running)} (process ${running.pid}).`, {
          details: { url: urlOf(running), pid: running.pid },
        })
      }
      const owner = describeProcess(process.pid)
      const supervisor = details.supervisor == null ? null : describeProcess(details.supervisor)
      const file: ServerFile = { ...details, pid: (supervisor ?? owner).pid, port: await listen(), owner, supervisor }
      await writeFileAtomic(pathOf(home), `${JSON.stringify(toJson(file))}\n`, { mode: 0o600 })
      return file
    },
    { maxTries: 200, onBusy: (pid) => refuse('', pid) },
  )
}

/** Waits for one that is about to stop, as a service that is started again right after a kill needs it. */
async function findRemaining(home: string): Promise<ServerFile | null> {
  for (let waitedMs = 0; ; waitedMs += lookMs) {
    const server = await findServer(home)
    const isStopping = server !== null && server.supervisor !== null && !isRunning(server.supervisor)
    if (!isStopping || waitedMs >= stopMs) return server
    await sleep(lookMs)
  }
}

/** Only what this process wrote. */
export async function leaveHome(home: string): Promise<void> {
  const file = await readServerFile(home)
  if (file?.owner.pid === process.pid && isRunning(file.owner)) await rm(pathOf(home), { force: true })
}

function pathOf(home: string): string {
  return join(home, 'server.json')
}

/** `process_started` belongs to `pid`: versions that know of no supervisor take that process for the server. */
function toJson({ pid, host, port, instance, version, startedAt, owner, supervisor }: ServerFile) {
  return {
    pid,
    host,
    port,
    url: urlOf({ host, port }),
    instance,
    version,
    started_at: renderTime(startedAt),
    process_started: (supervisor ?? owner).startedAt,
    machine: owner.host,
    ...(supervisor === null ? {} : { serving_pid: owner.pid, serving_started: owner.startedAt }),
  }
}

/** A file that is cut or of another shape counts as none: the next server writes it anew. */
async function readServerFile(home: string): Promise<ServerFile | null> {
  let text: string
  try {
    text = await loadRegularText(pathOf(home))
  } catch (cause) {
    if (isMissing(cause)) return null
    throw new AppError('unreadable', `Cannot read ${pathOf(home)}.`, { cause })
  }
  try {
    return fromJson(JSON.parse(text))
  } catch {
    return null // torn or edited: no server of ours wrote this whole
  }
}

function fromJson(json: unknown): ServerFile | null {
  if (typeof json !== 'object' || json === null) return null
  const { pid, host, port, instance, version, started_at, process_started, machine } = json as Record<string, unknown>
  const { serving_pid = pid, serving_started = process_started } = json as Record<string, unknown>
  const strings = [host, instance, version, process_started, serving_started, machine]
  if (![pid, serving_pid].every((each) => Number.isSafeInteger(each) && Number(each) > 0) || !Number.isInteger(port)) return null
  if (strings.some((text) => typeof text !== 'string')) return null
  const first = { pid: Number(pid), startedAt: String(process_started), host: String(machine) }
  return {
    pid: Number(pid),
    host: String(host),
    port: Number(port),
    instance: String(instance),
    version: String(version),
    startedAt: Date.parse(String(started_at)),
    owner: { pid: Number(serving_pid), startedAt: String(serving_started), host: first.host },
    supervisor: serving_pid === pid ? null : first,
  }
}
