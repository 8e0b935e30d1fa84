// What `doctor` says about the server: does one run, is its token private, have created tokens expired, does its background work get on, is it installed as a
// service that still finds its Node.
import { lstatSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { runChecksApart } from '../lib/checks-apart.ts'
import { errorMessage } from '../lib/error-message.ts'
import { isMissing } from '../lib/file-errors.ts'
import { count } from '../lib/text/count.ts'
import type { BackgroundStatus, PipelineStatus } from '../model/background.ts'
import type { Check } from '../model/catalog.ts'
import { AppError } from '../model/error.ts'
import { readBackground } from '../server/background-file.ts'
import { findServer, type ServerFile, urlOf } from '../server/server-file.ts'
import { isExpired, readTokens, removeExpired } from '../server/tokens/token-file.ts'
import { findStaleness, projectsOf } from '../services/staleness.ts'
import type { Context } from './context.ts'
import type { OwnCheck } from './own-checks.ts'
import { findProgram, managerOf, specOf } from './service-spec.ts'
import { readVersion } from './version.ts'

export async function checkServer(context: Context): Promise<readonly OwnCheck[]> {
  const { root } = context.paths
  let server: ServerFile | null = null
  return runChecksApart<OwnCheck>({
    async server() {
      server = await findServer(root)
      return describeServer(server)
    },
    token: () => checkToken(join(root, 'token'), server !== null),
    tokens: () => checkCreatedTokens(root, context.now),
    background: () => (server === null ? [] : checkBackground(readBackground(root))),
    service: () => checkService(context),
  })
}

function describeServer(server: ServerFile | null): Check {
  if (server === null) return { id: 'server', state: 'ok', message: 'no server runs (`offshoot serve` starts one)', fix: null }
  const message = `${urlOf(server)}, process ${server.pid}, version ${server.version}`
  if (server.version === readVersion()) return { id: 'server', state: 'ok', message, fix: null }
  return { id: 'server', state: 'warn', message: `${message}; this is ${readVersion()}`, fix: 'Restart the server.' }
}

/** Whoever could read it may have: it is not made private again, the next start makes another. */
function checkToken(file: string, isServing: boolean): readonly OwnCheck[] {
  try {
    const stat = lstatSync(file)
    if (!stat.isFile()) return [] // `file-checks.ts` reports it
    const isPrivate = process.platform === 'win32' || (stat.mode & 0o077) === 0
    if (isPrivate) return [{ id: 'token', state: 'ok', message: `${file} is yours alone`, fix: null }]
    const message = `${file} can be read by others on this machine`
    const fix = isServing ? `Stop the server, then remove ${file}.` : `Remove ${file}; the next start makes a new token.`
    return [{ id: 'token', state: 'warn', message, fix, ...(isServing ? {} : { mend: () => rmSync(file) }) }]
  } catch (error) {
    if (isMissing(error)) return [] // made by the first start
    return [
      { id: 'token', state: 'fail', message: `${file} cannot be looked at: ${errorMessage(error)}`, fix: `Make ${file} yours.` },
    ]
  }
}

/** Those that the owner created for others. */
function checkCreatedTokens(root: string, now: () => number): readonly OwnCheck[] {
  try {
    const tokens = readTokens(root)
    const expired = tokens.filter((token) => isExpired(token, now())).map(({ name }) => name)
    if (tokens.length === 0) return []
    if (expired.length === 0) return [{ id: 'tokens', state: 'ok', message: count(tokens.length, 'token'), fix: null }]
    const message = `${count(expired.length, 'token')} expired and not removed: ${expired.join(', ')}`
    const mend = () => removeExpired(root, now())
    return [{ id: 'tokens', state: 'warn', message, fix: `offshoot token revoke ${expired[0]}, or offshoot doctor --fix`, mend }]
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return [{ id: 'tokens', state: 'warn', message: error.message, fix: error.hint }]
  }
}

function checkBackground(status: BackgroundStatus | null): readonly Check[] {
  if (status === null) return [] // a server from before its first minute, or without one
  if (status.state === 'down') {
    const message = `the background process ended and is started again: ${status.problem ?? 'nobody knows why'}`
    return [{ id: 'background', state: 'warn', message, fix: 'See `offshoot service logs`, or logs/offshoot.log.' }]
  }
  return [
    ...describePipeline('background', 'the index', status.index),
    ...describePipeline('qmd-indexing', "qmd's index", status.qmd),
  ]
}

function describePipeline(id: string, what: string, { state, problem, fix, doneAt }: PipelineStatus): readonly Check[] {
  if (state === 'off' && problem === null) return []
  if (problem !== null) return [{ id, state: 'warn', message: `the server does not keep ${what} as asked: ${problem}`, fix }]
  const done = doneAt === null ? 'not yet done once' : `last done ${new Date(doneAt).toISOString()}`
  return [{ id, state: 'ok', message: `the server keeps ${what} fresh (${done})`, fix: null }]
}

async function checkService(context: Context): Promise<readonly OwnCheck[]> {
  try {
    const manager = managerOf(context)
    const { installed, argv, state, file } = await manager.status()
    if (!installed) return [{ id: 'service', state: 'ok', message: 'not installed (`offshoot service install`)', fix: null }]
    const install = 'offshoot service install'
    if (argv === null) return [{ id: 'service', state: 'warn', message: `${file} was not written by offshoot`, fix: install }]
    const stale = findStaleness(argv, findProgram())
    if (stale !== null) {
      const isBroken = stale.endsWith('is gone')
      // To renew one that runs would stop what it does.
      const mend = async () => void (await manager.install(specOf(context, projectsOf(argv))))
      return [{ id: 'service', state: isBroken ? 'fail' : 'warn', message: stale, fix: install, ...(isBroken ? { mend } : {}) }]
    }
    if (state === 'failed') return [{ id: 'service', state: 'fail', message: `${file}: it failed`, fix: 'offshoot service logs' }]
    return [{ id: 'service', state: 'ok', message: `${file}: ${state}`, fix: null }]
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return [{ id: 'service', state: 'ok', message: error.message, fix: null }]
  }
}
