// A recorded session of an old CLI: its files, what was said in it, and what the model API received before each of its turns.
// Recordings are made once by record.ts; the tests read, fork and resume them without installing the old CLIs.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync, gzipSync } from 'node:zlib'
import type { Turn } from '../../../src/model/session.ts'
import type { ExpectedTurn } from '../claude/scenarios/scenario.ts'
import type { SeenItem } from '../lib/history.ts'
import { wholeMatrix } from '../lib/matrix.ts'
import type { Sandbox } from '../lib/sandbox.ts'

export interface RecordedTurn extends ExpectedTurn {
  /** What the API received in front of the prompt; absent where no request carried it alone (a steered prompt). */
  readonly history?: readonly SeenItem[]
}

export interface Recording {
  readonly agent: string
  readonly version: string
  /** `print`, `typed` ... */
  readonly story: string
  readonly sessionId: string
  readonly turns: readonly RecordedTurn[]
  /** The agent's files by path below the sandbox. Paths in them begin with `rootMark`. */
  readonly files: Readonly<Record<string, string>>
}

const folder = fileURLToPath(new URL('./samples/', import.meta.url))
/** As long as the folder names `mkdtemp` makes, so that offsets stored in the files still hold. */
const rootMark = '/tmp/offshoot-real-@@@@@@'

export function saveRecording(recording: Recording, sandbox: Sandbox): string {
  const path = join(folder, `${recording.agent}-${recording.version}-${recording.story}.json.gz`)
  const text = JSON.stringify(recording).replaceAll(sandbox.root, rootMark).replaceAll(slugOf(sandbox.root), slugOf(rootMark))
  mkdirSync(folder, { recursive: true })
  writeFileSync(path, gzipSync(text, { level: 9 }))
  return path
}

export function loadRecordings(agent: string): Recording[] {
  const names = readdirSync(folder).filter((name) => name.startsWith(`${agent}-`))
  return names
    .sort(byVersion)
    .map((name) => JSON.parse(gunzipSync(readFileSync(join(folder, name))).toString('utf8')) as Recording)
}

/** Puts the files into a sandbox as if the session had been made there. */
export function unpack(recording: Recording, sandbox: Sandbox): Recording {
  const text = JSON.stringify(recording).replaceAll(rootMark, sandbox.root).replaceAll(slugOf(rootMark), slugOf(sandbox.root))
  const placed = JSON.parse(text) as Recording
  for (const [name, content] of Object.entries(placed.files)) {
    const path = join(sandbox.root, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content, { mode: 0o600 })
  }
  return placed
}

/** What the old CLI sent in front of the prompt after this turn; `undefined` where a compaction came between, or none was sent. */
export function historyAfter(turns: readonly RecordedTurn[], index: number): readonly SeenItem[] | undefined {
  const next = turns[index + 1]
  return next?.afterCompaction === turns[index]?.afterCompaction ? next?.history : undefined
}

/** Each costs a run of the CLI: the last turn and the last one before a compaction, with the whole matrix all of them. */
export function turnsToResume(turns: readonly Turn[]): readonly Turn[] {
  if (wholeMatrix) return turns
  return [...new Set([turns.findLast(({ afterCompaction }) => !afterCompaction), turns.at(-1)])].filter(
    (turn) => turn !== undefined,
  )
}

/** Old terminal UIs may leave a newline behind a typed prompt. */
export function showRead({ prompt, state, afterCompaction }: Turn): string {
  return `${prompt.trimEnd()} | ${state}${afterCompaction ? ' | compacted' : ''}`
}

export function showTold({ prompt, state = 'complete', afterCompaction = false }: RecordedTurn): string {
  return `${prompt} | ${state}${afterCompaction ? ' | compacted' : ''}`
}

/** Claude Code names a project's folder after its path. */
function slugOf(path: string): string {
  return path.replace(/[^a-zA-Z0-9]/g, '-')
}

function byVersion(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true })
}
