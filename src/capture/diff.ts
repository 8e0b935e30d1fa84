// The code between two turns or forks, or what one turn changed. Both sides must lie in one repository: its worktrees share objects.
import type { DiffRequest, DiffResult } from '../model/capture.ts'
import { AppError } from '../model/error.ts'
import { diffTrees } from '../snapshots/diff-trees.ts'
import { findRepositoryIfAny } from '../snapshots/repository.ts'
import { placePaths } from './asked-paths.ts'
import { codeAt, pickCapture } from './code-at.ts'
import { type CodeSide, findSide, notCaptured } from './code-side.ts'
import type { CaptureContext } from './context.ts'
import { keptFiles } from './to-capture.ts'

export async function diffCode(context: CaptureContext, request: DiffRequest): Promise<DiffResult> {
  const { from, to, paths = [], patch = true, nowAt } = request
  const [a, b] =
    to === undefined
      ? await sidesOfTurn(context, from)
      : await Promise.all([findSide(context, from, nowAt), findSide(context, to, nowAt)])
  if (a.commonDir !== b.commonDir) {
    throw new AppError('refused', `${a.name} and ${b.name} are in different repositories: ${a.root} and ${b.root}.`, {
      hint: 'Only turns of one repository (its worktrees included) can be compared.',
    })
  }
  const placed = await placeHere(context, b, paths)
  const turn = to === undefined ? ownChanges(context, b) : null
  const wanted = turn === null ? placed : turn.files.filter((file) => placed.length === 0 || isWithin(file, placed))
  const sides = { from: sideOf(a), to: sideOf(b), ...(turn === null ? {} : { shared: turn.shared }) }
  // Without paths git compares everything.
  if (turn !== null && wanted.length === 0) return { files: [], added: 0, removed: 0, patch: '', ...sides }
  const diff = await diffTrees(context.git, b.commonDir, a.tree, b.tree, { paths: wanted, patch })
  return { ...diff, ...sides }
}

/** Of a turn during which other sessions changed files too: those that are its own, or may be. */
function ownChanges(context: CaptureContext, { session, turn }: CodeSide) {
  if (session === null || turn === null) return null
  const capture = pickCapture(context.store().captures.ofTurn(session.agent, turn.id), session.id, 'end')
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
async function sidesOfTurn(context: CaptureContext, address: string): Promise<[CodeSide, CodeSide]> {
  if (address === 'now') {
    throw new AppError('usage', 'Compare `now` with a turn: `offshoot diff last@-1 now`.')
  }
  const end = await findSide(context, address)
  if (end.session === null || end.turn === null || end.turn.number === 0) {
    throw new AppError('usage', `${end.name} is the state before the first prompt: no turn made it.`, {
      hint: 'Name a second address to compare it with.',
    })
  }
  const start = await codeAt(context, end.session, { turnId: end.turn.id, moment: 'start' })
  if (start === null || start.tree === null) throw notCaptured(`the start of ${end.name}`)
  return [{ ...end, name: `before ${end.name}`, tree: start.tree, notCovered: start.notCovered }, end]
}
