// Runs the built command line as a process, in a home of its own with the demo's sample sessions.
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildSandbox, type Sandbox } from '../../src/cli/demo/sandbox.ts'
import { removeFolder } from '../setup/remove-folder.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
export const bin = join(root, 'bin', 'offshoot.js')

export interface Run {
  readonly stdout: string
  readonly stderr: string
  readonly status: number | null
}

export interface RunOptions {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  /** Piped into stdin. */
  readonly input?: string
  /** Close stdout after this many bytes, as `head` does. */
  readonly closeAfterBytes?: number
  /** Send SIGINT as soon as this text is printed. */
  readonly interruptAt?: string
}

export interface Fixture extends Sandbox {
  run(args: readonly string[], options?: RunOptions): Promise<Run>
  /** The one JSON document a `--json` command prints. */
  json<T>(args: readonly string[], options?: RunOptions): Promise<T>
  remove(): void
}

export async function createFixture(): Promise<Fixture> {
  if (!existsSync(join(root, 'dist', 'cli', 'main.js'))) throw new Error('build first: npm run build')
  const folder = mkdtempSync(join(tmpdir(), 'offshoot-cli-'))
  const sandbox = await buildSandbox(folder, process.env.PATH ?? '', Date.now())
  const run: Fixture['run'] = (args, options = {}) =>
    runProcess(process.execPath, [bin, ...args], options.cwd ?? sandbox.repository, { ...sandbox.vars, ...options.env }, options)
  return {
    ...sandbox,
    run,
    async json<T>(args: readonly string[], options?: RunOptions) {
      const { stdout } = await run(args, options)
      return JSON.parse(stdout) as T
    },
    remove: () => removeFolder(folder),
  }
}

/** Writes the set-up command of the fixture's repository into its config; gives what takes it away again. */
export function configureSetup({ vars, repository }: Pick<Fixture, 'vars' | 'repository'>, command: string): () => void {
  const file = join(vars.OFFSHOOT_HOME ?? '', 'config.toml')
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `[repositories.${JSON.stringify(repository)}]\nsetup = ${JSON.stringify(command)}\n`)
  return () => rmSync(file)
}

export function runProcess(
  command: string,
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
  { closeAfterBytes, interruptAt, input }: RunOptions = {},
): Promise<Run> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env, stdio: ['pipe', 'pipe', 'pipe'] })
    child.stdin.on('error', () => child.stdin.destroy()) // a command that reads nothing closes it under us
    child.stdin.end(input ?? '')
    let stdout = ''
    let stderr = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text
      if (closeAfterBytes !== undefined && stdout.length >= closeAfterBytes) child.stdout.destroy()
      if (interruptAt !== undefined && stdout.includes(interruptAt)) child.kill('SIGINT')
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text
    })
    child.on('error', reject)
    child.on('close', (status) => resolve({ stdout, stderr, status }))
  })
}
