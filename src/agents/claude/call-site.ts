// Claude names only the id of its tool call; the line with that call appears in a transcript 40 to 77 ms later (2.1.197 and
// 2.1.325) and says session and folder. A subagent's call stands in a file of its own below the session's folder.
import { closeSync, readdirSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { isObject } from '../../lib/jsonl.ts'
import { openRegular } from '../../lib/regular-file.ts'
import { systemText } from '../../lib/system-text.ts'
import type { AgentEnv } from '../agent-env.ts'
import type { CallSearch, CallSite } from '../call-site.ts'
import { projectsFolder } from './folders.ts'

/** A call that is running now was written just now, or is about to be. */
const recentMs = 120_000
const pollMs = 40
const tailBytes = 1024 * 1024

export async function findClaudeCall(id: string, { env, waitMs, signal }: Omit<CallSearch, 'meta'>): Promise<CallSite | null> {
  if (!/^[\w-]{8,128}$/.test(id)) return null
  const searched = new Map<string, number>()
  for (let waited = 0; ; waited += pollMs) {
    for (const { path, size } of recentTranscripts(env)) {
      const from = searched.get(path) ?? Math.max(0, size - tailBytes)
      if (from >= size) continue
      const { site, end } = searchFile(path, from, size, id)
      if (site !== null) return site
      searched.set(path, end)
    }
    if (waited >= waitMs || signal?.aborted === true) return null
    await pause(pollMs)
  }
}

function recentTranscripts(env: AgentEnv): { path: string; size: number; modifiedAt: number }[] {
  const since = (env.now?.() ?? Number.POSITIVE_INFINITY) - recentMs
  const found: { path: string; size: number; modifiedAt: number }[] = []
  const look = (path: string) => {
    const stat = statSync(path, { throwIfNoEntry: false })
    if (stat?.isFile() && stat.mtimeMs >= since) found.push({ path, size: stat.size, modifiedAt: stat.mtimeMs })
  }
  const projects = projectsFolder(env)
  for (const project of namesIn(projects)) {
    const folder = join(projects, project)
    for (const name of namesIn(folder)) {
      if (name.endsWith('.jsonl')) look(join(folder, name))
      else for (const agent of namesIn(join(folder, name, 'subagents'))) look(join(folder, name, 'subagents', agent))
    }
  }
  return found.sort((a, b) => b.modifiedAt - a.modifiedAt)
}

/** `end`: the start of the first line that was not whole yet. */
function searchFile(path: string, from: number, size: number, id: string): { site: CallSite | null; end: number } {
  const buffer = Buffer.alloc(size - from)
  const fd = openRegular(path)
  try {
    const length = readSync(fd, buffer, 0, buffer.length, from)
    const end = buffer.subarray(0, length).lastIndexOf(0x0a) + 1
    const text = buffer.subarray(0, end).toString('utf8')
    if (!text.includes(id)) return { site: null, end: from + end }
    const site = text.split('\n').map((line) => (line.includes(id) ? siteIn(line, id) : null))
    return { site: site.find((each) => each !== null) ?? null, end: from + end }
  } finally {
    closeSync(fd)
  }
}

/** Only the call itself counts: progress lines, results and quotations name the id too. */
function siteIn(line: string, id: string): CallSite | null {
  const entry = parse(line)
  if (entry?.type !== 'assistant' || typeof entry.sessionId !== 'string' || !isObject(entry.message)) return null
  const { content } = entry.message
  const calls = Array.isArray(content) && content.some((block) => isObject(block) && block.type === 'tool_use' && block.id === id)
  if (!calls) return null
  return { agent: 'claude', sessionId: entry.sessionId, turnId: null, cwd: systemText(entry.cwd) }
}

function parse(line: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(line)
    return isObject(value) ? value : null
  } catch {
    return null // cut at the start of what was read, or damaged
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return [] // not there, not a folder, not ours to read: nothing the caller could have written
  }
}
