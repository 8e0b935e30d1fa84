// The code between two turns or forks, or what one turn changed. Both sides must lie in one repository: its worktrees share objects.
import type { DiffRequest, DiffResult } from '../model/capture.ts'
import { AppError } from '../model/error.ts'
import { diffTrees } from '../snapshots/diff-trees.ts'
import { findRepository, findRepositoryIfAny } from '../snapshots/repository.ts'
import { placePaths } from './asked-paths.ts'
import { codeAt, findCapture } from './code-at.ts'
import { type CodeSide, findSide, type SideOptions } from './code-side.ts'
import type { CaptureContext } from './context.ts'
import { findRoot } from './moved-repository.ts'
import { notCaptured } from './not-captured.ts'
import { keptFiles } from './to-capture.ts'

export async function diffCode(context: CaptureContext, request: DiffRequest): Promise<DiffResult> {
  const { from, to, paths = [], patch = true, isOpen } = request
  const [a, b] =
    to === undefined
      ? await sidesOfTurn(context, from, request)
      : await Promise.all([findSide(context, from, request), findSide(context, to, request)])
  for (const side of [a, b]) if (side.session === null) await requireOpen(side, isOpen)
  if (a.commonDir !== b.commonDir) {
    throw new AppError('refused', `${a.name} and ${b.name} are in different repositories: ${a.root} and ${b.root}.`, {
      hint: 'Only turns of one repository (its worktrees included) can be compared.',
    })
  }
  // Refuses a repository that names another work tree than its own: trees are compared by the attributes of the files there.
  await findRepository(context.git, b.commonDir)
  const placed = await placeHere(context, b, paths)
  const turn = to === undefined ? await ownChanges(context, b, isOpen) : null
  const wanted = turn === null ? placed : turn.files.filter((file) => placed.length === 0 || isWithin(file, placed))
  const sides = { from: sideOf(a), to: sideOf(b), ...(turn === null ? {} : { shared: turn.shared }) }
  // Without paths git compares everything.
  if (turn !== null && wanted.length === 0) return { files: [], added: 0, removed: 0, patch: '', ...sides }
  const diff = await diffTrees(context.git, b.commonDir, a.tree, b.tree, { paths: wanted, patch })
  return { ...diff, ...sides }
}

async function requireOpen({ commonDir, root }: CodeSide, isOpen: DiffRequest['isOpen']): Promise<void> {
  if (isOpen === undefined || (await isOpen({ commonDir, root }))) return
  throw new AppError('repo_not_found', 'The work tree to compare with is not in an open project.')
}

/** Of a turn during which other sessions changed files too: those that are its own, or may be. */
async function ownChanges(context: CaptureContext, { session, turn }: CodeSide, isOpen: DiffRequest['isOpen']) {
  if (session === null || turn === null) return null
  const capture = await findCapture(context, session, { turnId: turn.id, moment: 'end' }, isOpen)
  if (capture?.shared == null || capture.files.length === keptFiles) return null
  return { files: [...capture.files, ...capture.shared.files], shared: capture.shared }
}

function isWithin(file: string, paths: readonly string[]): boolean {
  return paths.some((path) => path === '' || path === '.' || file === path || file.startsWith(`${path.replace(/\/$/, '')}/`))
}

/** Relative to where the person stands, if that is a work tree of this repository; else to the root. */
async function placeHere(context: CaptureContext, { root, commonDir }: CodeSide, paths: readonly string[]): Promise<string[]> {
  if (paths.length === 0) return []
  const here = await findRepositoryIfAny(context.git, context.cwd)
  const stands = here !== null && here.root !== null && here.commonDir === commonDir
  return stands ? placePaths(here.root, context.cwd, paths) : placePaths(root, root, paths)
}

function sideOf({ name, tree, root, notCovered }: CodeSide): DiffResult['from'] {
  return { name, tree, root, notCovered }
}

/** What the turn itself changed: from the state its prompt found. */
async function sidesOfTurn(context: CaptureContext, address: string, options: SideOptions): Promise<[CodeSide, CodeSide]> {
  if (address === 'now') {
    throw new AppError('usage', 'Compare `now` with a turn: `offshoot diff last@-1 now`.')
  }
  const { isOpen } = options
  const end = await findSide(context, address, options)
  if (end.session === null || end.turn === null || end.turn.number === 0) {
    throw new AppError('usage', `${end.name} is the state before the first prompt: no turn made it.`, {
      hint: 'Name a second address to compare it with.',
    })
  }
  const start = await codeAt(context, end.session, { turnId: end.turn.id, moment: 'start' }, isOpen)
  if (start === null || start.tree === null) throw await notCaptured(context, end.session, end.turn, { moment: 'start', isOpen })
  const { commonDir, tree, notCovered } = start
  const root = findRoot(context, commonDir, start.root)
  return [{ ...end, name: `before ${end.name}`, commonDir, root, tree, notCovered }, end]
}
