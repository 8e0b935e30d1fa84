// Which of qmd's models are on disk. A command that needs one that is not would wait for its download, offline for ever
// (`query` and `embed` ran longer than 300 s), so they are looked for first and such a command is never started.
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentEnv } from '../../agents/agent-env.ts'
import { isMissing } from '../../lib/file-errors.ts'
import { readIfThere } from '../../lib/read-if-there.ts'

export interface Models {
  readonly embed: boolean
  /** Rewrites a query into several. */
  readonly generate: boolean
}

/** qmd 2.8.3's own; the config beats the variable, which beats these. */
const defaults = {
  embed: 'hf:ggml-org/embeddinggemma-300M-GGUF/embeddinggemma-300M-Q8_0.gguf',
  generate: 'hf:tobil/qmd-query-expansion-1.7B-gguf/qmd-query-expansion-1.7B-q4_k_m.gguf',
} as const
/** The smallest model is 300 MB; a page of an error saved under its name is not. */
const leastBytes = 1_000_000

export function findModels({ home, vars }: AgentEnv, configFile: string): Models {
  const config = readIfThere(configFile) ?? ''
  const folder = join(vars.XDG_CACHE_HOME || join(vars.HOME || home, '.cache'), 'qmd', 'models')
  const files = listFiles(folder)
  const isThere = (name: keyof typeof defaults, variable: string) =>
    hasModel(configured(config, name) ?? vars[variable] ?? defaults[name], folder, files)
  return { embed: isThere('embed', 'QMD_EMBED_MODEL'), generate: isThere('generate', 'QMD_GENERATE_MODEL') }
}

/** Of the block `models:`; a name that cannot be read this way counts as a model that is not there. */
function configured(config: string, name: string): string | null {
  const block = /^models:\n((?: +.*\n?)*)/m.exec(config)?.[1] ?? ''
  return new RegExp(`^ +${name}: *["']?([^"'\\n]+?)["']? *$`, 'm').exec(block)?.[1] ?? null
}

/** Downloads are kept as `hf_<owner>_<file>`; a path of one's own is taken as it is. */
function hasModel(uri: string, folder: string, files: readonly string[]): boolean {
  const name = uri.slice(uri.lastIndexOf('/') + 1)
  if (!/^(?:hf|https?):/.test(uri)) return isLarge(uri.startsWith('/') ? uri : join(folder, uri))
  return files.some((file) => file.endsWith(name) && name.endsWith('.gguf') && isLarge(join(folder, file)))
}

function isLarge(path: string): boolean {
  const stat = statSync(path, { throwIfNoEntry: false })
  return stat?.isFile() === true && stat.size >= leastBytes
}

function listFiles(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}
