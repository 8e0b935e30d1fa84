// A temporary home with real Claude files in it, for the catalogue's tests: the lines have the shape the CLI writes.
import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { appendFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { builtinAgents } from '../agents/index.ts'
import { exec } from '../lib/exec.ts'
import { fileErrorCode } from '../lib/file-errors.ts'
import { type Catalog, type CatalogOptions, createCatalog } from './catalog.ts'

export const startAt = Date.UTC(2026, 0, 5, 9)
export const minuteMs = 60_000

export interface Sandbox {
  readonly root: string
  readonly home: string
  readonly offshootHome: string
  readonly projects: string
  readonly vars: Readonly<Record<string, string | undefined>>
  /** A catalogue whose clock stands still unless `now` is given; closed with the sandbox. */
  catalog(options?: Partial<CatalogOptions> & { readonly vars?: Sandbox['vars'] }): Catalog
  git(cwd: string, ...args: string[]): string
  /** A repository with one commit. */
  repository(name: string): string
  session(options?: SessionOptions): FakeSession
  close(): void
}

export interface SessionOptions {
  readonly id?: string
  readonly cwd?: string
  /** Name of the project folder; Claude makes it from the working directory. */
  readonly folder?: string
  readonly at?: number
  readonly turns?: number
  readonly model?: string
  /** Tokens each request is recorded to have read from the cache. */
  readonly cachedTokens?: number
  /** Lines to begin with, as a copy of another session has them. */
  readonly copied?: readonly Line[]
}

export interface FakeSession {
  readonly id: string
  readonly path: string
  readonly lines: readonly Line[]
  /** One prompt and its answer; gives the turn's id. */
  addTurn(prompt: string, at?: number): string
  /** What `--fork-session` writes: the lines with their uuids under a new id, then a prompt of its own. */
  fork(options: SessionOptions & { readonly upToTurn?: number; readonly prompt?: string }): FakeSession
}

export type Line = Readonly<Record<string, unknown>>

export function createSandbox(): Sandbox {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'offshoot-catalog-')))
  const home = join(root, 'home')
  const offshootHome = join(root, 'offshoot')
  const projects = join(home, '.claude', 'projects')
  mkdirSync(home, { recursive: true })
  const catalogs: Catalog[] = []
  const vars = { PATH: process.env.PATH, HOME: home, GIT_DIR: '/nowhere/.git' }

  function git(cwd: string, ...args: string[]): string {
    const name = ['-c', 'user.name=T', '-c', 'user.email=t@example.org', '-c', 'init.defaultBranch=main']
    const env = { PATH: process.env.PATH, HOME: home, GIT_CONFIG_NOSYSTEM: '1' }
    return execFileSync('git', [...name, ...args], { cwd, env, encoding: 'utf8' })
  }

  return {
    root,
    home,
    offshootHome,
    projects,
    vars,
    catalog({ vars: given = vars, ...options } = {}) {
      const env = { home, vars: given }
      const folder = offshootHome
      const catalog = createCatalog({ agents: builtinAgents, env, folder, cwd: root, now: () => startAt, exec, ...options })
      catalogs.push(catalog)
      return catalog
    },
    git,
    repository(name) {
      const folder = join(root, name)
      mkdirSync(folder, { recursive: true })
      git(folder, 'init', '-q')
      git(folder, 'commit', '-q', '--allow-empty', '-m', `begin ${name} ${randomUUID()}`)
      return folder
    },
    session: (options = {}) => createSession(projects, root, options),
    close() {
      for (const catalog of catalogs) catalog.close()
      removeFolder(root)
    },
  }
}

function createSession(projects: string, root: string, options: SessionOptions): FakeSession {
  const { id = randomUUID(), cwd = root, at = startAt, turns = 0, copied = [] } = options
  const { model = 'claude-opus-5-5', cachedTokens = 100 } = options
  const folder = join(projects, options.folder ?? cwd.replaceAll(/[^a-zA-Z0-9]/g, '-'))
  mkdirSync(folder, { recursive: true })
  const path = join(folder, `${id}.jsonl`)
  const lines: Line[] = []
  let clock = at

  function write(line: Line): void {
    lines.push(line)
    appendFileSync(path, `${JSON.stringify(line)}\n`)
  }

  function addTurn(prompt: string, turnAt = clock): string {
    const base = { isSidechain: false, userType: 'external', cwd, sessionId: id, version: '2.1.325', gitBranch: 'main' }
    const parentUuid = lines.findLast((line) => typeof line.uuid === 'string')?.uuid ?? null
    const turnId = randomUUID()
    const message = { role: 'user', content: prompt }
    write({ ...base, parentUuid, type: 'user', message, promptId: randomUUID(), uuid: turnId, timestamp: iso(turnAt) })
    const answer = {
      id: `msg_${randomUUID()}`,
      type: 'message',
      role: 'assistant',
      model,
      content: [{ type: 'text', text: `answer to ${prompt}` }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 10, cache_read_input_tokens: cachedTokens, cache_creation_input_tokens: 0, output_tokens: 5 },
    }
    const uuid = randomUUID()
    write({ ...base, parentUuid: turnId, type: 'assistant', message: answer, uuid, timestamp: iso(turnAt + 1000) })
    clock = turnAt + minuteMs
    return turnId
  }

  writeFileSync(path, '')
  for (const line of copied) write({ ...line, sessionId: id, promptId: id })
  for (let turn = 1; turn <= turns; turn += 1) addTurn(`prompt ${turn}`)

  return {
    id,
    path,
    lines,
    addTurn,
    fork({ upToTurn = Number.POSITIVE_INFINITY, prompt = 'own prompt', ...rest }) {
      const child = createSession(projects, root, { cwd, ...rest, copied: lines.slice(0, upToTurn * 2) })
      child.addTurn(prompt, rest.at ?? clock)
      return child
    },
  }
}

function iso(at: number): string {
  return new Date(at).toISOString()
}

/** What a test left running may still be writing its last file: then it is tried again. */
function removeFolder(path: string): void {
  for (let tries = 1; ; tries += 1) {
    try {
      rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
      return
    } catch (error) {
      if (fileErrorCode(error) !== 'ENOTEMPTY' || tries === 50) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100)
    }
  }
}
