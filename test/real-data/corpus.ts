// The sessions of a corpus folder, unpacked into the home folder of a sandbox as if they had been held in its work folder: the
// folders they were written in are not on this machine, and a fork needs one.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { folderNameOf } from '../../src/agents/claude/folder-name.ts'
import type { Sandbox } from '../real/lib/sandbox.ts'

export interface Corpus {
  readonly sessions: readonly CorpusSession[]
  /** Files that were passed over, and why. */
  readonly passedOver: readonly string[]
}

export interface CorpusSession {
  readonly id: string
  /** The copy in the sandbox. */
  readonly path: string
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const extension = /\.jsonl(\.gz)?$/

/** `only` is the beginning of a session's id, to look at one alone. */
export function unpackCorpus(folder: string, sandbox: Sandbox, only = ''): Corpus {
  const target = join(sandbox.home, '.claude', 'projects', folderNameOf(sandbox.work))
  mkdirSync(target, { recursive: true })
  const yesterday = Date.now() / 1000 - 86_400
  const sessions: CorpusSession[] = []
  const passedOver: string[] = []
  for (const file of findFiles(folder)) {
    const bytes = readFileSync(file)
    const text = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('latin1')
    const id = idOf(basename(file), text)
    const path = join(target, `${id}.jsonl`)
    if (id === null) passedOver.push(`${file}: no session id in its name or its lines`)
    else if (existsSync(path)) passedOver.push(`${file}: a second session ${id}`)
    else if (id.startsWith(only)) {
      // Bytes stand for themselves in latin1; quotes inside JSON strings are escaped, so only real fields match.
      writeFileSync(path, text.replaceAll(/"cwd":"(?:[^"\\]|\\.)*"/g, `"cwd":${JSON.stringify(sandbox.work)}`), 'latin1')
      // Nobody is at work on them: a file that was written just now might be.
      utimesSync(path, yesterday, yesterday)
      const side = file.replace(extension, '')
      if (existsSync(side)) cpSync(side, path.replace(extension, ''), { recursive: true })
      sessions.push({ id, path })
    }
  }
  return { sessions, passedOver }
}

/** Transcripts of subagents (`agent-<id>.jsonl`, beside a session or in its folder) are no sessions. */
function findFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && extension.test(entry.name) && !entry.name.startsWith('agent-'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
}

function idOf(name: string, text: string): string | null {
  const named = name.replace(extension, '')
  const recorded = /"sessionId":"([^"]*)"/.exec(text)?.[1] ?? ''
  return [named, recorded].find((id) => uuid.test(id)) ?? null
}
