// The next best code of a turn that was never captured: rebuilt from the transcript's own edits where every one of them fits, else the
// nearest snapshot of an earlier turn, else the nearest commit. Says why it is no better.
import { realpath } from 'node:fs/promises'
import { agentOf } from '../agents/agent-of.ts'
import type { RecordedEdits } from '../agents/recorded-edits.ts'
import { isFolder } from '../lib/is-folder.ts'
import type { Approximation, CodeAtTurn, CodeMoment, IsOpen } from '../model/capture.ts'
import type { CatalogSession } from '../model/catalog.ts'
import { AppError } from '../model/error.ts'
import type { Turn } from '../model/session.ts'
import { listTreeChanges } from '../snapshots/diff-trees.ts'
import { findMissing } from '../snapshots/read-objects.ts'
import { findRepositoryIfAny, type Repository } from '../snapshots/repository.ts'
import { codeAt } from './code-at.ts'
import type { CaptureContext } from './context.ts'
import { placeEdits } from './edit-places.ts'
import { findNearestCommit, type NearCommit } from './nearest-commit.ts'
import { type Reconstruction, reconstruct, writeTree } from './reconstruct.ts'

/** Code that `isOpen` refuses counts as not there. */
export async function approximate(
  context: CaptureContext,
  session: CatalogSession,
  at: CodeMoment,
  isOpen?: IsOpen,
): Promise<Approximation> {
  const question = await understand(context, session, at, isOpen)
  if (typeof question === 'string') return { code: null, reasons: [question] }
  const rebuilt = await rebuild(context, question)
  if (typeof rebuilt !== 'string') return { code: rebuilt.code, reasons: [] }
  const commit = await commitOf(question)
  const near = await findNearestSnapshot(context, question, commit)
  if (near !== null) return { code: near.code, reasons: [rebuilt] }
  if (commit === null) return { code: null, reasons: [rebuilt, 'no commit of that time is left'] }
  const { repository } = question
  const code: CodeAtTurn = {
    kind: 'nearest_commit',
    commonDir: repository.commonDir,
    root: question.roots[0] ?? repository.commonDir,
    snapshot: null,
    tree: commit.tree,
    baseCommit: commit.commit,
    notCovered: [],
    note: `It is ${commit.commit.slice(0, 12)} of ${new Date(commit.committedAt).toISOString()}, ${ways[commit.from]}.`,
  }
  return { code, reasons: [rebuilt] }
}

const ways = {
  reflog: 'which was checked out at that time',
  recorded: 'which the agent recorded when the session began',
  branch: "the newest of the session's branch by then",
} as const

export async function writeReconstruction(
  context: CaptureContext,
  session: CatalogSession,
  at: CodeMoment,
  digest: string,
): Promise<string> {
  const question = await understand(context, session, at)
  const reconstruction = typeof question === 'string' ? null : await reconstructionOf(context, question)
  if (reconstruction === null || reconstruction.digest !== digest) {
    throw new AppError('plan_stale', 'The code of this turn cannot be put together as planned any more.')
  }
  return writeTree(context.git, context.folder, reconstruction)
}

async function reconstructionOf(context: CaptureContext, question: Question): Promise<Reconstruction | null> {
  const rebuilt = await rebuild(context, question)
  if (typeof rebuilt !== 'string') return rebuilt.reconstruction
  return (await findNearestSnapshot(context, question, await commitOf(question)))?.reconstruction ?? null
}

async function commitOf({ time, nearest }: Question): Promise<NearCommit | null> {
  return time === null ? null : nearest(time)
}

interface Near {
  readonly code: CodeAtTurn
  /** `null`: the snapshot as it is. */
  readonly reconstruction: Reconstruction | null
}

/** The newest snapshot before the moment, with the edits recorded since where they fit; `null` where `commit` is newer, or there is none. */
async function findNearestSnapshot(context: CaptureContext, question: Question, commit: NearCommit | null): Promise<Near | null> {
  const { repository, recorded, roots } = question
  const beginning = await findBeginning(context, question)
  if (beginning === null || beginning.snapshot === null || isNewer(commit, beginning)) return null
  const edits = recorded.edits.filter(({ turnId }) => !beginning.done.has(turnId))
  const places = await placeEdits(roots, edits)
  const { commonDir } = repository
  const made =
    typeof places === 'string' || edits.length === 0
      ? null
      : await reconstruct(context.git, { commonDir, tree: beginning.tree }, edits, places.pathOf)
  const reconstruction = typeof made === 'string' ? null : made
  const withEdits = reconstruction === null ? '' : describeEdits(edits.length)
  const code: CodeAtTurn = {
    kind: 'nearest_snapshot',
    commonDir,
    root: (typeof places === 'string' ? null : places.root) ?? roots[0] ?? commonDir,
    snapshot: null,
    tree: reconstruction === null ? beginning.tree : null,
    ...(reconstruction === null ? {} : { digest: reconstruction.digest }),
    baseCommit: beginning.commit,
    notCovered: [],
    note: `It is ${nameSnapshot(beginning)}${withEdits}; what nobody recorded is not in it.`,
  }
  return { code, reconstruction }
}

/** Made, or checked out, since the snapshot was taken. */
function isNewer(commit: NearCommit | null, { at, commit: base }: Start): boolean {
  if (commit === null) return false
  return commit.committedAt > (at ?? 0) || (commit.from === 'reflog' && commit.commit !== base)
}

function nameSnapshot({ turn, moment }: Start): string {
  const name = turn?.number == null ? 'an earlier turn' : `turn ${turn.number}`
  return moment === 'start' ? `the snapshot of what ${name} found` : `the snapshot of ${name}`
}

const mostRewound = 8

interface Question {
  readonly session: CatalogSession
  readonly repository: Repository
  /** Every root under which a file of this repository may be named, the session's own first. */
  readonly roots: readonly string[]
  /** The turns before the moment, oldest first. */
  readonly turns: readonly Turn[]
  /** Turns that are not of this branch of the conversation. */
  readonly dead: readonly Turn[]
  readonly recorded: RecordedEdits
  /** The moment itself, and when the session began. */
  readonly time: number | null
  readonly begunAt: number | null
  readonly nearest: (at: number) => Promise<NearCommit | null>
}

/** What is asked, with all that is known; or why nothing can be said. */
async function understand(
  context: CaptureContext,
  session: CatalogSession,
  at: CodeMoment,
  isOpen?: IsOpen,
): Promise<Question | string> {
  const folder = [session.cwd, session.repoRoot].find((each) => each !== null && isFolder(each)) ?? null
  const repository = folder === null ? null : await findRepositoryIfAny(context.git, folder)
  const isThere = async ({ commonDir, root }: Repository) => isOpen?.({ commonDir, root: root ?? commonDir }) ?? true
  if (repository === null || !(await isThere(repository))) return 'the repository of the session is not there'
  const all = await context.catalog.listTurns(session, { deadBranches: true, refresh: false })
  const turn = at.turnId === null ? all.find(({ number }) => number === 1) : all.find(({ id }) => id === at.turnId)
  if (turn === undefined) return 'the session has no such turn'
  const recorded = await readRecorded(context, session, turn.id)
  const isBefore = (turnId: string) => at.moment === 'end' || turnId !== turn.id
  const chain = all.filter(({ number }) => number !== null && turn.number !== null && number <= turn.number)
  const told = new Set([...recorded.edits, ...recorded.unrecorded].map(({ turnId }) => turnId))
  const isElsewhere = ({ id, number }: Turn) => (number === null || turn.number === null) && !told.has(id)
  const gitDir = session.cwd !== null && folder === session.cwd ? repository.gitDir : null
  const nearest = (time: number) =>
    findNearestCommit(context.git, {
      commonDir: repository.commonDir,
      gitDir,
      branch: session.branch,
      startCommit: recorded.startCommit,
      at: time,
    })
  return {
    session,
    repository,
    roots: await rootsOf(context, session, repository),
    turns: chain.filter(({ id }) => isBefore(id)),
    dead: all.filter((each) => each.id !== turn.id && isElsewhere(each)),
    recorded: {
      ...recorded,
      edits: recorded.edits.filter(({ turnId }) => isBefore(turnId)),
      unrecorded: recorded.unrecorded.filter(({ turnId }) => isBefore(turnId)),
    },
    time: at.moment === 'start' ? turn.startedAt : (turn.endedAt ?? turn.startedAt),
    begunAt: all.find(({ number }) => number === 1)?.startedAt ?? session.createdAt,
    nearest,
  }
}

async function readRecorded(context: CaptureContext, session: CatalogSession, turnId: string): Promise<RecordedEdits> {
  const agent = agentOf(context, session.agent)
  return context.catalog.withFiles(session, (file, env) => agent.readEdits(file, env, { turnId }))
}

/** A fork's inherited edits name the files of the work tree its parent ran in. */
async function rootsOf(
  { git, store }: CaptureContext,
  { repoRoot }: CatalogSession,
  { root, commonDir }: Repository,
): Promise<string[]> {
  const { stdout } = await git(['worktree', 'list', '--porcelain', '-z'], { cwd: commonDir, accept: [0, 129] })
  const listed = [...stdout.matchAll(/(?:^|\0)worktree ([^\0]+)/g)].map(([, path = '']) =>
    Buffer.from(path, 'latin1').toString('utf8'),
  )
  const made = store()
    .workspaces.all()
    .filter((workspace) => workspace.commonDir === commonDir)
    .map(({ path }) => path)
  const known = [root, repoRoot, ...listed, ...made].filter((each) => each !== null)
  const real = await Promise.all(known.map((each) => realpath(each).catch(() => each)))
  // The longest first: a work tree may lie inside another.
  return [...new Set([...known, ...real])].sort((a, b) => b.length - a.length)
}

interface Rebuilt {
  readonly code: CodeAtTurn
  readonly reconstruction: Reconstruction
}

/** Or why it cannot be done. */
async function rebuild(context: CaptureContext, question: Question): Promise<Rebuilt | string> {
  const { repository, recorded } = question
  const beginning = await findBeginning(context, question)
  if (beginning === null) return 'there is no state to begin with'
  const edits = recorded.edits.filter(({ turnId }) => !beginning.done.has(turnId))
  const unrecorded = recorded.unrecorded.filter(({ turnId }) => !beginning.done.has(turnId))
  if (unrecorded.length > 0) return `what these changed is not recorded: ${nameTools(unrecorded)}`
  if (edits.length === 0 && beginning.snapshot === null) return 'the transcript holds no edit'
  const places = await placeEdits(question.roots, edits)
  if (typeof places === 'string') return places
  const rewound = await findRewound(context, question, beginning)
  if (rewound !== null) return rewound
  const root = places.root ?? question.roots[0] ?? repository.commonDir
  const made = await reconstruct(context.git, { commonDir: repository.commonDir, tree: beginning.tree }, edits, places.pathOf)
  if (typeof made === 'string') return made
  const moved = await findOtherChanges(context, question, beginning, made)
  if (moved !== null) return moved
  const base = beginning.snapshot === null ? `commit ${beginning.commit?.slice(0, 12)}` : nameSnapshot(beginning)
  const guess = beginning.certain ? '' : ' That the session began on this commit is told by its date only.'
  const code: CodeAtTurn = {
    kind: 'reconstructed',
    commonDir: repository.commonDir,
    root,
    snapshot: null,
    tree: null,
    digest: made.digest,
    baseCommit: beginning.commit,
    notCovered: [],
    ...(beginning.certain ? {} : { needsYes: true }),
    note: `It is ${base}${describeEdits(edits.length)}; what nobody recorded is not in it.${guess}`,
  }
  return { code, reconstruction: made }
}

function describeEdits(number: number): string {
  if (number === 0) return ', and no edit was recorded since'
  return ` with ${number === 1 ? '1 recorded edit' : `${number} recorded edits`}, each of which fits exactly`
}

interface Start {
  readonly tree: string
  readonly commit: string | null
  readonly snapshot: string | null
  /** Turns whose edits are in it already. */
  readonly done: ReadonlySet<string>
  /** When it was so; `null`: unknown. */
  readonly at: number | null
  /** False where a commit is taken by its date alone. */
  readonly certain: boolean
  /** The turn a snapshot is of, and which of its moments. */
  readonly turn: Turn | null
  readonly moment: CodeMoment['moment']
}

/** The newest snapshot before the moment, else the commit the session began on. */
async function findBeginning(context: CaptureContext, question: Question): Promise<Start | null> {
  const { session, repository, turns, begunAt, nearest } = question
  for (let count = turns.length; count > 0; count -= 1) {
    const turn = turns[count - 1]
    if (turn === undefined) continue
    const end = await codeAt(context, session, { turnId: turn.id, moment: 'end' })
    const found = end ?? (await codeAt(context, session, { turnId: turn.id, moment: 'start' }))
    // Captured in another repository, which an agent may go to: what was done there was not done here.
    if (found === null || found.tree === null || found.commonDir !== repository.commonDir) continue
    const names = [found.tree, ...(found.baseCommit === null ? [] : [found.baseCommit])]
    if ((await findMissing(context.git, repository.commonDir, names)).length > 0) continue
    const done = turns.slice(0, end === null ? count - 1 : count).map(({ id }) => id)
    const at = end === null ? turn.startedAt : turn.endedAt
    const moment = end === null ? 'start' : 'end'
    const { tree, baseCommit: commit, snapshot } = found
    return { tree, commit, snapshot, done: new Set(done), at, certain: true, turn, moment }
  }
  const commit = begunAt === null ? null : await nearest(begunAt)
  if (commit === null) return null
  return {
    tree: commit.tree,
    commit: commit.commit,
    snapshot: null,
    done: new Set(),
    at: begunAt,
    certain: commit.from !== 'branch',
    turn: null,
    moment: 'end',
  }
}

/**
 * Turns that were rewound are no longer of the conversation, but their edits may still have been in the files: Claude Code takes
 * them back only where the person wanted that, Codex never.
 */
async function findRewound(context: CaptureContext, { session, dead, time }: Question, { at }: Start): Promise<string | null> {
  const isMeanwhile = ({ startedAt }: Turn) =>
    startedAt === null || ((at === null || startedAt >= at) && (time === null || startedAt <= time))
  const meanwhile = dead.filter(isMeanwhile)
  // Each is a reading of the whole transcript.
  if (meanwhile.length > mostRewound) return `${meanwhile.length} turns were rewound, which may have changed files as well`
  for (const turn of meanwhile) {
    const { edits, unrecorded } = await readRecorded(context, session, turn.id)
    if ([...edits, ...unrecorded].some(({ turnId }) => turnId === turn.id)) return 'a turn that was rewound changed files as well'
  }
  return null
}

/** Commits that came in meanwhile (pulled, switched to) changed files the transcript knows nothing of. */
async function findOtherChanges(
  context: CaptureContext,
  { time, nearest, repository }: Question,
  { commit }: Start,
  { changes }: Reconstruction,
): Promise<string | null> {
  const head = time === null ? null : await nearest(time)
  if (head === null || commit === null || head.from === 'recorded' || head.commit === commit) return null
  const moved = await listTreeChanges(context.git, repository.commonDir, commit, head.commit)
  const others = moved.filter(({ path }) => !changes.has(path))
  return others.length === 0
    ? null
    : `commits made meanwhile changed ${others.length} other ${others.length === 1 ? 'file' : 'files'}`
}

function nameTools(unrecorded: RecordedEdits['unrecorded']): string {
  const names = [...new Set(unrecorded.map(({ tool }) => tool))]
  const more = names.length - 4
  return more > 0 ? `${names.slice(0, 4).join(', ')} and ${more} more` : names.join(', ')
}
