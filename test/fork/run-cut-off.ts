// Runs a process that kills itself at a given moment (a `cut-off.ts`), and tells by what it ended.
import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

interface CutOffOptions {
  /** Added to the environment of the process itself. */
  readonly env?: Readonly<Record<string, string>>
  /** Called once the process runs, for a test that chooses the moment to kill it. */
  readonly meanwhile?: (child: ChildProcess) => Promise<void>
}

export async function runCutOff(script: URL, words: readonly string[], { env = {}, meanwhile }: CutOffOptions = {}) {
  const args = ['--import', 'tsx', fileURLToPath(script), ...words]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } })
  let stderr = ''
  child.stdout.resume()
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  const closed = new Promise<NodeJS.Signals | null>((resolve) => child.on('close', (_status, by) => resolve(by)))
  await meanwhile?.(child)
  const signal = await closed
  return { signal, stderr }
}
