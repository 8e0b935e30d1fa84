// What an address means as code: the tree at the end of a turn (a session: its last captured turn), before the first prompt, or
// `now`, the present work tree. What was never captured is refused in words, never approximated.
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { DiffRequest, NotCovered } from '../model/capture.ts'
import type { CatalogSession, Target } from '../model/catalog.ts'
import { AppError } from '../model/error.ts'
import { turnAddress } from '../model/render.ts'
import type { Turn } from '../model/session.ts'
import { findRepository, type WorkTree } from '../snapshots/repository.ts'
import { codeAt } from './code-at.ts'
import type { CaptureContext } from './context.ts'
import { findRoot } from './moved-repository.ts'
import { noneCaptured, notCaptured } from './not-captured.ts'

export interface CodeSide {
  /** How a person names it. */
  readonly name: string
  readonly commonDir: string
  /** Root of the work tree it was taken of, where that is now. */
  readonly root: string
  readonly tree: string
  /** Object of the snapshot; `null` for the present work tree. */
  readonly snapshot: string | null
  readonly notCovered: readonly NotCovered[]
  /** `null` for the present work tree. */
  readonly session: CatalogSession | null
  readonly turn: Turn | null
}

export type SideOptions = Pick<DiffRequest, 'nowAt' | 'isOpen' | 'turnsOf'>

export async function findSide(context: CaptureContext, address: string, options: SideOptions = {}): Promise<CodeSide> {
  const { nowAt = context.cwd, isOpen } = options
  if (address === 'now') return readNow(context, nowAt)
  const target = await context.catalog.resolve(address)
  const { session } = target
  const turn = target.turn ?? (await lastCaptured(context, target, options))
  const before = turn.number === 0
  const at = { turnId: before ? null : turn.id, moment: before ? ('start' as const) : ('end' as const) }
  const code = await codeAt(context, session, at, isOpen)
  if (code === null || code.tree === null) throw await notCaptured(context, session, turn, { isOpen })
  const { commonDir, tree, snapshot, notCovered } = code
  const root = findRoot(context, commonDir, code.root)
  return { name: turnAddress(session, turn), commonDir, root, tree, snapshot, notCovered, session, turn }
}

async function lastCaptured(context: CaptureContext, { session }: Target, { isOpen, turnsOf }: SideOptions): Promise<Turn> {
  const among = turnsOf?.get(`${session.agent}:${session.path}`)
  const turns = await context.catalog.listTurns(session, { refresh: false })
  for (const turn of turns.toReversed()) {
    if (among?.has(turn.id) === false) continue
    if ((await codeAt(context, session, { turnId: turn.id, moment: 'end' }, isOpen)) !== null) return turn
  }
  throw await noneCaptured(context, session)
}

async function readNow(context: CaptureContext, folder: string): Promise<CodeSide> {
  const workTree = await findWorkTree(context, folder)
  const { tree, notCovered } = await readPresent(context, workTree)
  const { commonDir, root } = workTree
  return { name: 'now', commonDir, root, tree, snapshot: null, notCovered, session: null, turn: null }
}

export async function findWorkTree(context: CaptureContext, folder: string): Promise<WorkTree> {
  const repository = await findRepository(context.git, folder)
  if (repository.root === null) throw new AppError('refused', `${repository.gitDir} has no work tree.`)
  return { ...repository, root: repository.root }
}

/** The work tree as it is, as a tree that no ref names. */
export async function readPresent(context: CaptureContext, workTree: WorkTree) {
  const { readTree } = await import('../snapshots/take-snapshot.ts')
  return withScratchIndex(context, async (index) => readTree(context.git, workTree, index, await context.maxFileBytes()))
}

/** An index of its own for each look: two at once on one would be in each other's way. */
export async function withScratchIndex<T>(context: CaptureContext, work: (index: string) => Promise<T>): Promise<T> {
  const folder = join(context.folder, 'captures', 'scratch')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const own = await mkdtemp(join(folder, 'look-'))
  try {
    return await work(join(own, 'index'))
  } finally {
    await rm(own, { recursive: true, force: true })
  }
}
