// A snapshot made by hand with git's plumbing, for tests of what reads snapshots: no code of ours has written it.
import { copyFileSync, existsSync, readFileSync, rmSync, utimesSync } from 'node:fs'
import type { SnapshotMeta } from '../../src/model/capture.ts'
import { snapshotRef } from '../../src/snapshots/snapshot.ts'
import { git } from './scratch.ts'

export interface HandOptions {
  readonly meta?: Partial<SnapshotMeta>
  /** In the form of the snapshot: `null` leaves it out. */
  readonly index?: 'as it is' | null
  /** Bytes by path. */
  readonly raw?: Readonly<Record<string, string>>
  readonly ref?: string
  /** Keeps the tree of HEAD. */
  readonly base?: boolean
}

export interface HandSnapshot {
  readonly id: string
  readonly ref: string
  readonly tree: string
  readonly meta: SnapshotMeta
}

export function handSnapshot(root: string, options: HandOptions = {}): HandSnapshot {
  const { meta: wish = {}, index = 'as it is', raw = {}, ref, base = false } = options
  const ask = (args: readonly string[], input = '', env: Record<string, string> = {}) => git(root, args, { input, env }).trim()
  const own = ask(['rev-parse', '--path-format=absolute', '--git-path', 'index'])
  const copy = `${own}-by-hand`
  if (existsSync(own)) copyFileSync(own, copy)
  if (existsSync(own)) utimesSync(copy, 1, 1)
  ask(['add', '-A'], '', { GIT_INDEX_FILE: copy })
  const tree = ask(['write-tree'], '', { GIT_INDEX_FILE: copy })
  rmSync(copy, { force: true })
  const meta: SnapshotMeta = {
    version: 1,
    agent: 'claude',
    sessionId: 'a-session',
    moment: 'end',
    turnKey: 'turn-1',
    turnId: null,
    turnNumber: 1,
    prompt: 'do it',
    by: 'hook',
    startedAt: 1_000,
    endedAt: 2_000,
    head: git(root, ['rev-parse', '--quiet', '--verify', 'HEAD'], { mayFail: true }).trim() || null,
    branch: 'main',
    root,
    startTree: null,
    commit: null,
    notCovered: [],
    ...wish,
  }
  const blob = (content: string) => ask(['hash-object', '-w', '--stdin', '--no-filters'], content)
  const inUtf8 = (text: string) => Buffer.from(text).toString('latin1')
  const lines = [`040000 tree ${tree}\twt`, `100644 blob ${blob(inUtf8(JSON.stringify(meta)))}\tmeta`]
  if (base) lines.push(`040000 tree ${ask(['rev-parse', 'HEAD^{tree}'])}\tbase`)
  if (index !== null && existsSync(own)) lines.push(`100644 blob ${blob(readFileSync(own, 'latin1'))}\tindex`)
  const names = Object.keys(raw)
  if (names.length > 0) {
    const blobs = names.map((name, number) => `100644 blob ${blob(raw[name] ?? '')}\t${number}\n`)
    lines.push(`040000 tree ${ask(['mktree'], blobs.join(''))}\traw`)
    lines.push(`100644 blob ${blob(names.map((name) => `${name}\0`).join(''))}\traw-paths`)
  }
  const id = ask(['mktree'], lines.map((line) => `${line}\n`).join(''))
  const place = ref ?? snapshotRef(meta)
  ask(['update-ref', place, id])
  return { id, ref: place, tree, meta }
}
