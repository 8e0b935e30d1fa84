// A temporary CODEX_HOME filled with the recorded samples, for tests.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { AgentEnv } from '../agent.ts'

const samplesFolder = join(import.meta.dirname, 'samples')

export function readSample(name: string): Buffer {
  return readFileSync(join(samplesFolder, name))
}

export function codexEnv(home: string): AgentEnv {
  return { home, vars: { CODEX_HOME: join(home, 'codex') } }
}

interface Meta {
  readonly id: string
  readonly timestamp: string
}

/** Where Codex would keep a rollout with this first line. */
export function rolloutPath(home: string, content: Buffer, segmentId?: string): string {
  const first = content.toString('utf8', 0, content.indexOf(0x0a))
  const { id, timestamp } = (JSON.parse(first) as { payload: Meta }).payload
  const name = `rollout-${timestamp.slice(0, 19).replaceAll(':', '-')}-${id}${segmentId === undefined ? '' : `_${segmentId}`}.jsonl`
  return join(home, 'codex', 'sessions', ...timestamp.slice(0, 10).split('-'), name)
}

export function placeRollout(path: string, content: Buffer | string): string {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
  return path
}

export function placeSample(home: string, name: string, segmentId?: string): string {
  const content = readSample(name)
  return placeRollout(rolloutPath(home, content, segmentId), content)
}
