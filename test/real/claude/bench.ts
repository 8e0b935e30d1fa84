// One sandbox with its stand-in API and one version of the real Claude Code: what a scenario works with, and the short way for
// other tests to get a real session.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isObject } from '../../../src/lib/jsonl.ts'
import { type ClaudeVersion, claudeCommand } from '../lib/agents.ts'
import { createSandbox, type Sandbox, type SandboxOptions } from '../lib/sandbox.ts'
import { type ApiStandIn, startApi } from './api.ts'
import { type Claude, createClaude } from './run.ts'

export interface Bench {
  readonly sandbox: Sandbox
  readonly api: ApiStandIn
  readonly claude: Claude
  /** A file of the work folder, by absolute path. */
  file(name: string): string
  /** The session's transcript, wherever its project folder is. */
  transcript(sessionId: string): string
  /** The same, `undefined` while there is none. */
  find(sessionId: string): string | undefined
  /** Its complete lines so far; none while there is no file. */
  lines(sessionId: string): Record<string, unknown>[]
  /** Several prompts in print mode, one process each; answers the session's id. */
  talk(prompts: readonly string[], sessionId?: string): Promise<string>
}

export function createBench(version: ClaudeVersion, options: SandboxOptions = {}): Promise<Bench> {
  return createBenchWith(version, claudeCommand(version), options)
}

/** Any version of Claude Code, wherever it is installed. */
export async function createBenchWith(version: string, command: readonly string[], options: SandboxOptions = {}): Promise<Bench> {
  const sandbox = createSandbox(options)
  const api = await startApi(sandbox)
  const claude = createClaude(sandbox, api, version, command)
  const projects = join(sandbox.env.CLAUDE_CONFIG_DIR ?? join(sandbox.home, '.claude'), 'projects')

  function find(sessionId: string): string | undefined {
    if (!existsSync(projects)) return undefined
    const files = readdirSync(projects).map((folder) => join(projects, folder, `${sessionId}.jsonl`))
    return files.find((file) => existsSync(file))
  }
  async function talk(prompts: readonly string[], sessionId?: string): Promise<string> {
    let id = sessionId
    for (const prompt of prompts) id = (await claude.print(prompt, { flags: id === undefined ? [] : ['--resume', id] })).sessionId
    if (id === undefined) throw new Error('a session needs at least one prompt')
    return id
  }

  return {
    sandbox,
    api,
    claude,
    file: (name) => join(sandbox.work, name),
    find,
    transcript(sessionId) {
      const found = find(sessionId)
      if (found === undefined) throw new Error(`no transcript of ${sessionId}`)
      return found
    },
    lines(sessionId) {
      const found = find(sessionId)
      return found === undefined ? [] : parseLines(readFileSync(found, 'utf8'))
    },
    talk,
  }
}

/** A real session in a few lines; dispose the sandbox afterwards. */
export async function makeClaudeSession(request: {
  readonly version: ClaudeVersion
  readonly prompts: readonly string[]
}): Promise<Bench & { readonly sessionId: string; readonly path: string }> {
  const bench = await createBench(request.version)
  try {
    const sessionId = await bench.talk(request.prompts)
    return { ...bench, sessionId, path: bench.transcript(sessionId) }
  } catch (error) {
    await bench.sandbox.dispose()
    throw error
  }
}

function parseLines(text: string): Record<string, unknown>[] {
  const complete = text.slice(0, text.lastIndexOf('\n') + 1)
  return complete
    .split('\n')
    .filter((line) => line !== '')
    .map((line): unknown => JSON.parse(line))
    .filter(isObject)
}
