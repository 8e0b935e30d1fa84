// The exports as a whole: `index/<agent>/<project>/<session id>.md` for every session of the catalogue, written when the session
// has changed, removed when it is gone. What tells is a mark in the head of the file itself, so that nothing can get out of step.
import { createHash } from 'node:crypto'
import { closeSync, existsSync, mkdirSync, readdirSync, readSync, rmdirSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { setImmediate as nextTick } from 'node:timers/promises'
import { errorMessage } from '../../lib/error-message.ts'
import { isMissing } from '../../lib/file-errors.ts'
import { openRegular } from '../../lib/regular-file.ts'
import type { CatalogSession } from '../../model/catalog.ts'
import type { QmdProgress } from '../../model/qmd.ts'
import { renderTime } from '../../model/render.ts'
import { type AgentId, agentIds } from '../../model/session.ts'
import { createRedactor, type Redactor } from '../../redact/redact.ts'
import type { StoredFile } from '../../store/sessions.ts'
import type { SearchContext } from '../context.ts'
import { exportSession, partSuffix } from './export-session.ts'
import { type ExportHeader, readMark, writeHeader } from './header.ts'

/** Raised whenever the same session gives another text. */
const formatVersion = 1

export interface ExportReport {
  readonly exported: number
  readonly removed: number
  readonly stopped: boolean
  readonly problems: readonly { readonly path: string; readonly problem: string }[]
}

export interface ExportOptions {
  readonly onProgress?: ((progress: QmdProgress) => void) | undefined
  readonly signal?: AbortSignal | undefined
}

export function exportFolder(home: string, agent: AgentId): string {
  return join(home, 'index', agent)
}

export async function updateExports(context: SearchContext, { onProgress, signal }: ExportOptions = {}): Promise<ExportReport> {
  const redactor = createRedactor()
  const problems: { path: string; problem: string }[] = []
  const sessions = await context.catalog.listSessions()
  const present = new Set(sessions.map(({ agent, id }) => `${agent}:${id}`))
  const files = new Map(
    context
      .store()
      .sessions.files()
      .map((file) => [`${file.agent}:${file.path}`, file]),
  )
  const wanted = new Set<string>()
  let exported = 0
  for (const [at, session] of sessions.entries()) {
    if (at % 100 === 0) await nextTick() // ten thousand unchanged sessions must not hold up whoever shares the process
    if (signal?.aborted === true) return { exported, removed: 0, stopped: true, problems }
    onProgress?.({ step: 'export', done: at, total: sessions.length })
    const header = await headerOf(session, redactor)
    const path = exportPath(context.folder, session, header)
    // The same session in two places (newest first): one export.
    if (wanted.has(path)) continue
    wanted.add(path)
    const skipTurns = inheritedTurns(session, present)
    const mark = markOf(header, skipTurns, files.get(`${session.agent}:${session.path}`))
    if (readMark(readHead(path)) === mark) continue
    try {
      const entries = context.catalog.readSession(session)
      if (await exportSession(path, { header: writeHeader(header, mark), entries, skipTurns }, redactor, signal)) exported += 1
    } catch (error) {
      problems.push({ path: session.path, problem: errorMessage(error) })
    }
  }
  onProgress?.({ step: 'export', done: sessions.length, total: sessions.length })
  return { exported, removed: removeOthers(context.folder, wanted), stopped: signal?.aborted === true, problems }
}

function exportPath(home: string, { agent, id }: CatalogSession, { repoRoot, workingDirectory }: ExportHeader): string {
  return join(exportFolder(home, agent), projectName(repoRoot ?? workingDirectory), `${fileName(id)}.md`)
}

function markOf(header: ExportHeader, skipTurns: number, file: StoredFile | undefined): string {
  return hash(JSON.stringify([formatVersion, header, skipTurns, file?.bytes, file?.modifiedAt, file?.inode]))
}

async function headerOf(session: CatalogSession, { redact }: Redactor): Promise<ExportHeader> {
  const orNull = async (text: string | null) => (text === null ? null : redact(text))
  const { parent } = session
  const turn = parent?.turnNumber ?? parent?.turnId ?? null
  return {
    title: await redact(session.title),
    sessionId: session.id,
    workingDirectory: await orNull(session.cwd),
    repoRoot: await orNull(session.repoRoot),
    date: renderTime(session.updatedAt),
    agent: session.agent,
    branch: await orNull(session.branch),
    parent: parent === null ? null : `${parent.agent}:${parent.sessionId}${turn === null ? '' : `@${turn}`}`,
  }
}

/** What a fork shares with its parent is found there, as long as there is a parent. */
function inheritedTurns({ parent, turns, ownTurns }: CatalogSession, present: ReadonlySet<string>): number {
  return parent !== null && present.has(`${parent.agent}:${parent.sessionId}`) ? turns - ownTurns : 0
}

/** As Claude names its folders, without the leading dash; a long path keeps its end, where the name is. */
function projectName(folder: string | null): string {
  const name = (folder ?? '').replaceAll(/[^A-Za-z0-9._-]+/g, '-').replace(/^[-.]+/, '')
  if (name === '') return 'no-project'
  return name.length <= 120 ? name : `${hash(folder ?? '').slice(0, 8)}-${name.slice(-100)}`
}

/** An id that is no file name is still in the head. */
function fileName(id: string): string {
  return /^[\w-][\w.-]{0,119}$/.test(id) ? id : hash(id)
}

/** Only what is ours: with our mark, or left half written by a process that was killed. */
function removeOthers(home: string, wanted: ReadonlySet<string>): number {
  let removed = 0
  for (const agent of agentIds) {
    for (const path of listFiles(exportFolder(home, agent))) {
      const isPart = path.endsWith(partSuffix)
      if (!isPart && (wanted.has(path) || !path.endsWith('.md') || readMark(readHead(path)) === null)) continue
      rmSync(path, { force: true })
      if (!isPart) removed += 1
      removeIfEmpty(dirname(path))
    }
  }
  return removed
}

/** Of sessions that lost something, where there are any. What is left of them is exported anew with the next update of qmd. */
export function removeExports(home: string, sessions: readonly { readonly agent: string; readonly id: string }[]): void {
  for (const agent of agentIds) {
    const folder = exportFolder(home, agent)
    if (!existsSync(folder)) continue
    const names = new Set(sessions.filter((session) => session.agent === agent).map(({ id }) => `${fileName(id)}.md`))
    for (const path of listFiles(folder)) {
      if (!names.has(basename(path)) || readMark(readHead(path)) === null) continue
      rmSync(path, { force: true })
      removeIfEmpty(dirname(path))
    }
  }
}

function removeIfEmpty(folder: string): void {
  if (readdirSync(folder).length === 0) rmdirSync(folder)
}

function listFiles(folder: string): string[] {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}

/** Enough for any head: a title is cut, paths are bounded by the system. */
export function readHead(path: string): string {
  const bytes = Buffer.alloc(16_384)
  try {
    const file = openRegular(path)
    try {
      return bytes.toString('utf8', 0, readSync(file, bytes))
    } finally {
      closeSync(file)
    }
  } catch (error) {
    if (isMissing(error)) return ''
    throw error
  }
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 24)
}
