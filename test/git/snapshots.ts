// A repository and short ways to take snapshots of it and to look into them; fresh for every test.
import { type SpawnSyncReturns, spawnSync } from 'node:child_process'
import { lstatSync, readFileSync, readlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach } from 'vitest'
import type { NotCovered } from '../../src/model/capture.ts'
import type { Git } from '../../src/snapshots/git.ts'
import { type SnapshotRequest, type TakenSnapshot, takeSnapshot } from '../../src/snapshots/take-snapshot.ts'
import { at, git, makeRepository, makeScratch, type Scratch, testGit } from './scratch.ts'
import { openWorkTree, testMeta } from './snapshots-of.ts'
import type { OneRequest } from './take-one.ts'

export interface Snapshots {
  readonly scratch: Scratch
  readonly root: string
  take(options?: TakeOptions): Promise<TakenSnapshot>
}

export interface Told {
  readonly tree: string
  readonly notCovered: readonly NotCovered[]
  readonly commit: string | null
  readonly problem: string | null
  readonly error?: string
  readonly calls: number
}

const repo = fileURLToPath(new URL('../..', import.meta.url))
const script = fileURLToPath(new URL('./take-one.ts', import.meta.url))

/** In a process of its own; `null` when it was killed. */
export function takeOne(request: OneRequest): Told | null {
  const { stdout, stderr, signal } = runOne(request)
  if (signal === 'SIGKILL') return null
  if (stdout === '') throw new Error(stderr)
  return JSON.parse(stdout)
}

/** `wrap` puts another program before it. */
export function runOne(request: OneRequest, wrap: readonly string[] = []): SpawnSyncReturns<string> {
  const [command = '', ...args] = [...wrap, process.execPath, '--import', 'tsx', script, JSON.stringify(request)]
  const env = { ...process.env, HOME: dirname(request.root) }
  return spawnSync(command, args, { cwd: repo, env, encoding: 'utf8' })
}

export interface TakeOptions extends Partial<Omit<SnapshotRequest, 'meta' | 'workTree'>> {
  readonly root?: string
  readonly meta?: Partial<SnapshotRequest['meta']>
  readonly git?: Git
}

/** To be read inside of a test only: before it there is nothing. */
export function useSnapshots(): Snapshots {
  let scratch: Scratch
  beforeEach(() => {
    scratch = makeScratch()
    makeRepository(join(scratch.path, 'my repo'))
  })
  afterEach(() => scratch.remove())
  return {
    get scratch() {
      return scratch
    },
    get root() {
      return join(scratch.path, 'my repo')
    },
    async take({ root, meta, git: calls = testGit(), ...options } = {}) {
      return takeSnapshot(calls, {
        workTree: await openWorkTree(root ?? this.root),
        index: join(scratch.path, 'captures', 'index-1'),
        meta: { ...testMeta, ...meta },
        maxFileBytes: 1_000_000,
        ...options,
      })
    },
  }
}

/** Kind, executable bit and bytes of each file of a tree, by name. */
export function readTreeFiles(root: string, tree: string): Record<string, string> {
  const files: Record<string, string> = {}
  const kinds: Record<string, string> = { '100644': 'file', '100755': 'executable', '120000': 'link', '160000': 'commit' }
  for (const record of git(root, ['ls-tree', '-r', '-z', '--full-tree', tree]).split('\0')) {
    const tab = record.indexOf('\t')
    if (tab === -1) continue
    const [mode = '', , id = ''] = record.slice(0, tab).split(' ')
    files[record.slice(tab + 1)] = `${kinds[mode]} ${mode === '160000' ? id : git(root, ['cat-file', 'blob', id])}`
  }
  return files
}

/** The same of files as they lie there. */
export function readDiskFiles(root: string, names: readonly string[]): Record<string, string> {
  const files: Record<string, string> = {}
  for (const name of names) {
    const stats = lstatSync(at(root, name), { throwIfNoEntry: false })
    if (stats?.isSymbolicLink()) files[name] = `link ${readlinkSync(at(root, name), 'latin1')}`
    else if (stats?.isFile())
      files[name] = `${stats.mode & 0o100 ? 'executable' : 'file'} ${readFileSync(at(root, name), 'latin1')}`
  }
  return files
}
