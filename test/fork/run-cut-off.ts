// Runs a process that kills itself at a given moment (a `cut-off.ts`), and tells by what it ended.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export async function runCutOff(script: URL, words: readonly string[]) {
  const args = ['--import', 'tsx', fileURLToPath(script), ...words]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let stderr = ''
  child.stdout.resume()
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  const signal = await new Promise<NodeJS.Signals | null>((resolve) => child.on('close', (_status, by) => resolve(by)))
  return { signal, stderr }
}
