// Can qmd be used, and which collections has it. `--version` would say nothing: on Node 20 it answers, and then every command
// that opens the database dies of a segmentation fault (qmd 2.8.3).
import type { Qmd, QmdIndex } from './program.ts'
import { faultOf, isSegfault } from './program.ts'

export type Probe =
  | { readonly usable: true; readonly collections: readonly string[] }
  | { readonly usable: false; readonly installed: boolean; readonly message: string; readonly fix: string }

const probeMs = 15_000
const leastNode = 22

export async function probeQmd(qmd: Qmd, options: { readonly index?: QmdIndex; readonly signal?: AbortSignal | undefined } = {}) {
  const result = await qmd.run(['collection', 'list'], { ...options, timeoutMs: probeMs })
  if (result.exitCode === 0) return { usable: true, collections: readCollections(result.stdout) } satisfies Probe
  if (result.missing) return unusable(false, 'qmd is not on PATH', 'npm install -g @tobilu/qmd (needs Node 22 or newer)')
  const fault = faultOf(result, probeMs)
  const node = await qmd.nodeVersion()
  if (node !== null && Number(/^v(\d+)/.exec(node)?.[1] ?? leastNode) < leastNode) {
    return unusable(
      true,
      `${fault}: it needs Node 22 or newer, and the node on PATH is ${node}`,
      'Put Node 22 or newer first on PATH.',
    )
  }
  return unusable(
    true,
    fault,
    isSegfault(result) ? 'npm install -g @tobilu/qmd with Node 22 or newer' : 'Run `qmd collection list` yourself.',
  )
}

function unusable(installed: boolean, message: string, fix: string): Probe {
  return { usable: false, installed, message, fix }
}

/** `claude-sessions (qmd://claude-sessions/)`; `--json` is ignored by this command. */
function readCollections(text: string): string[] {
  return [...text.matchAll(/^(\S.*?) \(qmd:\/\/.*\)\s*$/gm)].map(([, name = '']) => name)
}
