// The demo's home with captured turns, driven from outside: the built program as a process, its server over HTTP and MCP. Nothing here
// knows how the program is made, so that the same answers can be compared before and after it is rebuilt inside.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { playCapturedSession, sampleTurns } from '../../src/cli/demo/captured-session.ts'
import { buildSandbox, type Sandbox } from '../../src/cli/demo/sandbox.ts'
import { followUpsEnded } from '../capture/follow-ups.ts'
import { bin, runProcess } from '../cli/run-cli.ts'
import { type Connected, connect } from '../mcp/clients.ts'
import { removeFolder } from '../setup/remove-folder.ts'
import { createNormaliser } from './normalise.ts'

export interface Place {
  readonly home: string
  readonly repository: string
  readonly vars: Readonly<Record<string, string>>
  /** Runs one command line; what it answers is normalised. */
  run(args: readonly string[], input?: string): Promise<Answer>
  /** A server on this folder and what is below it. */
  serve(project?: string): Promise<ServedPlace>
  normalise(answer: unknown): unknown
  /** New ids are numbered from 1 again. */
  forgetIds(): void
  end(): Promise<void>
}

export interface Answer {
  readonly status: number | null
  /** One document, or one for each line. */
  readonly stdout: unknown
  readonly stderr?: unknown
}

export interface ServedPlace {
  ask(method: string, path: string, body?: unknown): Promise<{ readonly status: number; readonly body: unknown }>
  readonly mcp: Connected
}

export interface PlaceOptions {
  /** Puts more into the home before anything is asked. */
  readonly prepare?: (sandbox: Sandbox) => void
  /** How ids begin that are the same in every run. */
  readonly known?: readonly string[]
}

const hourMs = 3_600_000

/** How the ids of the demo's sessions, and of what is in them, begin. */
const demoIds = ['60309e1e-', 'b7c41d02-', '019a84f2-1d6b-7a31', '019a8513-77c0-7e02', '4be17d5c-']

export async function createPlace({ prepare = () => undefined, known = [] }: PlaceOptions = {}): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), 'offshoot-golden-'))
  // Well before anything that a test makes: the newest session is listed first.
  const now = Date.now() - hourMs
  const sandbox = await buildSandbox(folder, `${dirname(process.execPath)}:/usr/bin:/bin`, now)
  await playCapturedSession(sandbox, sampleTurns, { now: () => now })
  prepare(sandbox)
  const { home, repository, vars } = sandbox
  let normalise = createNormaliser(home, [...demoIds, ...known])
  const ends: (() => Promise<unknown>)[] = []
  return {
    home,
    repository,
    vars,
    normalise: (answer) => normalise(answer),
    forgetIds() {
      normalise = createNormaliser(home, [...demoIds, ...known])
    },
    async run(args, input) {
      const { stdout, stderr, status } = await runProcess(process.execPath, [bin, ...args], repository, vars, {
        ...(input === undefined ? {} : { input }),
      })
      const failed = status === 0 ? {} : { stderr: normalise(documentsIn(stderr)) }
      return { status, stdout: normalise(documentsIn(stdout)), ...failed }
    },
    async serve(project = repository) {
      const { child, url } = await startServer(project, vars)
      ends.push(() => endProcess(child))
      const token = readFileSync(join(vars.OFFSHOOT_HOME ?? '', 'token'), 'utf8').trim()
      const mcp = await connect('sdk 2 of 2026', { url: new URL('/mcp', url), token })
      ends.push(() => mcp.close())
      return {
        mcp,
        async ask(method, path, body) {
          const json = body === undefined ? {} : { 'content-type': 'application/json' }
          const response = await fetch(new URL(path, url), {
            method,
            headers: { authorization: `Bearer ${token}`, ...json },
            ...(body === undefined ? {} : { body: JSON.stringify(body) }),
          })
          return { status: response.status, body: normalise(documentsIn(await response.text())) }
        },
      }
    },
    async end() {
      for (const end of ends.reverse()) await end()
      await followUpsEnded(vars.OFFSHOOT_HOME ?? '')
      removeFolder(folder)
    },
  }
}

function documentsIn(printed: string): unknown {
  const lines = printed.split('\n').filter((line) => line.trim() !== '')
  const documents = lines.map((line) => {
    try {
      return JSON.parse(line) as unknown
    } catch {
      return { message: line }
    }
  })
  return documents.length === 1 ? documents[0] : documents
}

async function startServer(cwd: string, env: Readonly<Record<string, string>>): Promise<{ child: ChildProcess; url: URL }> {
  const child = spawn(process.execPath, [bin, 'serve', '--port', '0', '--project', cwd, '--json'], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  for await (const chunk of child.stdout) {
    printed += String(chunk)
    const found = /http:\/\/127\.0\.0\.1:\d+/.exec(printed)
    if (found !== null) return { child, url: new URL(found[0]) }
  }
  throw new Error(`the server did not start: ${printed}`)
}

function endProcess(child: ChildProcess): Promise<unknown> {
  const ended = new Promise((done) => child.once('exit', done))
  child.kill('SIGTERM')
  return ended
}
