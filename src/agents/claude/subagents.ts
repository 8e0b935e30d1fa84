// Subagents keep their own transcripts beside the session: `<session id>/subagents/agent-<id>.jsonl`. Their messages belong to
// no turn of the session; the tool call that started one carries its answer.
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isObject } from '../../lib/jsonl.ts'
import { readRegularText } from '../../lib/regular-file.ts'
import type { SessionFile } from '../agent.ts'
import type { Entry } from '../reading.ts'
import { readSession } from './read.ts'
import { sideFolder } from './side-files.ts'

export interface Subagent {
  readonly id: string
  readonly path: string
  readonly bytes: number
  readonly kind: string | null
  readonly description: string | null
  /** The tool call that started it. */
  readonly toolUseId: string | null
}

const agentFile = /^agent-(.+)\.jsonl$/

export function subagents(file: SessionFile): Subagent[] {
  const folder = join(sideFolder(file), 'subagents')
  return namesIn(folder).flatMap((name) => {
    const id = agentFile.exec(name)?.[1]
    const path = join(folder, name)
    const bytes = id === undefined ? undefined : fileBytes(path)
    if (id === undefined || bytes === undefined) return []
    const meta = readMeta(path.replace(/\.jsonl$/, '.meta.json'))
    return [{ id, path, bytes, kind: text(meta.agentType), description: text(meta.description), toolUseId: text(meta.toolUseId) }]
  })
}

/** Large tool output the transcript only refers to, as paths. */
export function toolResultFiles(file: SessionFile): string[] {
  const folder = join(sideFolder(file), 'tool-results')
  return namesIn(folder).map((name) => join(folder, name))
}

/** Its prompt begins a turn of its own. */
export function readSubagent(subagent: Subagent): AsyncIterable<Entry> {
  return readSession(subagent.path, {}, true)
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort()
  } catch {
    return [] // most sessions have none
  }
}

function fileBytes(path: string): number | undefined {
  const stat = statSync(path, { throwIfNoEntry: false })
  return stat?.isFile() ? stat.size : undefined
}

function readMeta(path: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(readRegularText(path))
    return isObject(value) ? value : {}
  } catch {
    return {} // older versions write none
  }
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
