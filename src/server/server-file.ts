// `$OFFSHOOT_HOME/server.json`: which server of this home runs, and where. Command line and MCP find it here; one home has one
// server. What a server that was killed left behind is recognised: process numbers are used again, so its start belongs to it.
import { rm } from 'node:fs/promises'
import { isIP } from 'node:net'
import { join } from 'node:path'
import writeFileAtomic from 'write-file-atomic'
import { isMissing } from '../lib/file-errors.ts'
import { withLockFile } from '../lib/lock-file.ts'
import { describeProcess, isRunning, type ProcessOwner } from '../lib/process-owner.ts'
import { loadRegularText } from '../lib/regular-file.ts'
import { AppError } from '../model/error.ts'
import { renderTime } from '../model/render.ts'

export interface ServerFile {
  readonly pid: number
  readonly host: string
  readonly port: number
  /** Random, of this run; `/health` tells it too: who answers there is who wrote this, and may be given the token. */
  readonly instance: string
  readonly version: string
  readonly startedAt: number
  readonly owner: ProcessOwner
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
export async function claimHome(
  home: string,
  details: Omit<ServerFile, 'pid' | 'port' | 'owner'>,
  listen: () => Promise<number>,
): Promise<ServerFile> {
  const refuse = (running: string, pid: string) =>
    new AppError('server_running', `A server of this home runs already${running} (process ${pid}).`)
  return withLockFile(
    join(home, 'server.lock'),
    async () => {
      const running = await findServer(home)
      if (running !== null && running.pid !== process.pid) {
        throw new AppError('server_running', `A server of this home runs already: ${urlOf(running)} (process ${running.pid}).`, {
          details: { url: urlOf(running), pid: running.pid },
        })
      }
      const owner = describeProcess(process.pid)
      const file: ServerFile = { ...details, pid: process.pid, port: await listen(), owner }
      await writeFileAtomic(pathOf(home), `${JSON.stringify(toJson(file))}\n`, { mode: 0o600 })
      return file
    },
    { maxTries: 200, onBusy: (pid) => refuse('', pid) },
  )
}

/** Only what this process wrote. */
export async function leaveHome(home: string): Promise<void> {
  const file = await readServerFile(home)
  if (file?.pid === process.pid && isRunning(file.owner)) await rm(pathOf(home), { force: true })
}

function pathOf(home: string): string {
  return join(home, 'server.json')
}

function toJson({ pid, host, port, instance, version, startedAt, owner }: ServerFile) {
  return {
    pid,
    host,
    port,
    url: urlOf({ host, port }),
    instance,
    version,
    started_at: renderTime(startedAt),
    process_started: owner.startedAt,
    machine: owner.host,
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
  const strings = [host, instance, version, process_started, machine]
  if (!Number.isSafeInteger(pid) || Number(pid) <= 0 || !Number.isInteger(port)) return null
  if (strings.some((text) => typeof text !== 'string')) return null
  return {
    pid: Number(pid),
    host: String(host),
    port: Number(port),
    instance: String(instance),
    version: String(version),
    startedAt: Date.parse(String(started_at)),
    owner: { pid: Number(pid), startedAt: String(process_started), host: String(machine) },
  }
}
