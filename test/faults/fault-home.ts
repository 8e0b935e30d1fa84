// A home with sessions of both agents, captured turns and one fork, put back as it was before every trial; and what must be the same in
// it whatever fails.
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { playCapturedSession, sampleTurns } from '../../src/cli/demo/captured-session.ts'
import { buildSandbox } from '../../src/cli/demo/sandbox.ts'
import { followUpsEnded } from '../capture/follow-ups.ts'
import { bin, type Run, type RunOptions, runProcess } from '../cli/run-cli.ts'
import { removeFolder } from '../setup/remove-folder.ts'

export interface FaultHome {
  /** Holds all that a command may touch; the template and the shim's files are elsewhere. */
  readonly live: string
  /** For files of the trial itself. */
  readonly aside: string
  readonly repository: string
  readonly vars: Readonly<Record<string, string>>
  readonly forkId: string
  /** Ids of the sessions that were there first. */
  readonly sessions: readonly string[]
  run(args: readonly string[], options?: RunOptions): Promise<Run>
  /** Puts the home back as it was, or as `prepare` left it after that. */
  reset(prepare?: readonly (readonly string[])[]): Promise<void>
  /** By name: what no failure may change. */
  state(): ReadonlyMap<string, string>
  remove(): Promise<void>
}

export async function createFaultHome(): Promise<FaultHome> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'offshoot-faults-')))
  const live = join(root, 'live')
  mkdirSync(live)
  const sandbox = await buildSandbox(live, process.env.PATH ?? '', Date.now())
  const { repository } = sandbox
  // A stand-in: `start` only has to find it.
  mkdirSync(join(live, 'bin'))
  writeFileSync(join(live, 'bin', 'claude'), '#!/bin/sh\necho "2.1.325 (Claude Code)"\n', { mode: 0o755 })
  const vars: Record<string, string> = { ...sandbox.vars, PATH: `${join(live, 'bin')}:${process.env.PATH}` }
  const offshootHome = vars.OFFSHOOT_HOME ?? ''
  await playCapturedSession(sandbox, sampleTurns, { now: Date.now })
  await followUpsEnded(offshootHome)
  const run: FaultHome['run'] = (args, options = {}) =>
    runProcess(process.execPath, [bin, ...args], options.cwd ?? repository, { ...vars, ...options.env }, options)
  const must = async (args: readonly string[]) => {
    const { status, stderr, stdout } = await run(args)
    if (status !== 0) throw new Error(`${args.join(' ')}: ${status} ${stderr}`)
    return stdout
  }
  await must(['index'])
  const sources = agentFiles(vars)
  const { sessions } = JSON.parse(await must(['sessions', '--all', '--json'])) as { sessions: { id: string }[] }
  const made = JSON.parse(await must(['fork', 'claude:60309e1e@1', '--code', 'head', '--terminal', 'none', '--yes', '--json']))
  const template = async (prepare: readonly (readonly string[])[]) => {
    const path = join(root, `template-${createHash('sha256').update(JSON.stringify(prepare)).digest('hex').slice(0, 8)}`)
    if (!existsSync(path)) {
      if (prepare.length > 0) copy(join(root, 'template'), live)
      for (const args of prepare) await must(args)
      copy(live, path)
    }
    return path
  }
  copy(live, join(root, 'template'))
  return {
    live,
    aside: root,
    repository,
    vars,
    forkId: made.fork.id,
    sessions: sessions.map(({ id }) => id),
    run,
    async reset(prepare = []) {
      await followUpsEnded(offshootHome)
      copy(prepare.length === 0 ? join(root, 'template') : await template(prepare), live)
    },
    state: () => stateOf(repository, sources),
    async remove() {
      await followUpsEnded(offshootHome)
      removeFolder(root)
    },
  }
}

function copy(from: string, to: string): void {
  removeFolder(to)
  cpSync(from, to, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true })
}

function agentFiles(vars: Readonly<Record<string, string>>): readonly string[] {
  return [join(vars.CLAUDE_CONFIG_DIR ?? '', 'projects'), join(vars.CODEX_HOME ?? '', 'sessions')].flatMap(filesBelow)
}

export function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return []
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
}

function stateOf(repository: string, sources: readonly string[]): ReadonlyMap<string, string> {
  const gitDir = join(repository, '.git')
  const refs = filesBelow(join(gitDir, 'refs')).filter((path) => !path.includes('/offshoot/'))
  const files = readdirSync(repository).filter((name) => name !== '.git')
  const named = [...sources, join(gitDir, 'HEAD'), join(gitDir, 'index'), join(gitDir, 'config'), ...refs]
  return new Map([...named, ...files.map((name) => join(repository, name))].map((path) => [path, hash(path)]))
}

function hash(path: string): string {
  return existsSync(path) ? createHash('sha256').update(readFileSync(path)).digest('hex') : 'missing'
}
