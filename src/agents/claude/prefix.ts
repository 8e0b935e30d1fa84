// A fork by `prefix`: the lines of the chosen branch, in file order, under a new id in the folder Claude Code looks into from
// the child's directory. Each of them names the one before it on the branch as its parent, so that whoever walks from the last
// to the first finds all: CLIs of any version, the SDK, we. In the source the way leads through lines that are left out here
// (`progress`), past parallel calls that not every reader looks for (2.1.197 does not in files over 5 MB), and over gaps.
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { createExclusive, type FileWriter, partPathOf } from '../../lib/exclusive-file.ts'
import { AppError } from '../../model/error.ts'
import type { Cut } from '../../model/fork.ts'
import type { SessionFile } from '../agent.ts'
import type { AgentEnv } from '../agent-env.ts'
import type { ForkedFile, ForkTarget } from '../forking.ts'
import { ChildLines, type TreeLine } from './child-lines.ts'
import { folderNameOf } from './folder-name.ts'
import { projectsFolder } from './folders.ts'
import { liveChain } from './leaf.ts'
import type { LineIndex } from './line-index.ts'
import { stateTypes } from './line-types.ts'
import { queueLines } from './queue.ts'
import { noRow } from './row.ts'
import { holdIndex, type IndexWish, openIndex } from './shared-index.ts'
import { outputFoldersOf, ToolOutputs } from './tool-outputs.ts'
import { branchUpTo } from './up-to.ts'
import { ValueFetcher } from './value-at.ts'

const breathBytes = 8 << 20
const lastPromptLength = 200

/** Pass 1, once for the writing and for the proof. */
export async function holdSource({ path }: SessionFile, cut: Cut): Promise<() => void> {
  return cut.kind === 'start' ? () => undefined : holdIndex(path, indexFor(cut))
}

export async function writePrefix(source: SessionFile, env: AgentEnv, cut: Cut, target: ForkTarget): Promise<ForkedFile> {
  // A session without a message cannot be resumed: the child begins with its first prompt.
  if (cut.kind === 'start') return { sessionId: target.sessionId, path: null, created: [] }
  const { index, inode } = await openIndex(source.path, indexFor(cut))
  const branch = keepRows(index, cut)
  const folder = join(projectsFolder(env), folderNameOf(target.cwd))
  const path = join(folder, `${target.sessionId}.jsonl`)
  if (existsSync(path)) throw new AppError('file_exists', `The session id ${target.sessionId} is taken.`)
  const isNewFolder = !existsSync(folder)
  for (const each of [...(isNewFolder ? [folder] : []), ...outputFoldersOf(path), partPathOf(path), path]) target.onCreate?.(each)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const outputs = new ToolOutputs(source.path, path)
  await createExclusive(path, (writer) => copyLines({ source, target, index, inode, branch, outputs }, writer))
  return {
    sessionId: target.sessionId,
    path,
    created: [path, ...outputs.copy(), ...outputFoldersOf(path), ...(isNewFolder ? [folder] : [])],
  }
}

function keepRows(index: LineIndex, cut: Exclude<Cut, { kind: 'start' }>): readonly number[] {
  const live = liveChain(index)
  if (cut.kind === 'tip') return live
  return branchUpTo(index, live, cut.kind === 'turn' ? { turnId: cut.turnId } : { messageId: cut.messageId })
}

interface Copying {
  readonly source: SessionFile
  readonly target: ForkTarget
  readonly index: LineIndex
  readonly inode: number
  readonly branch: readonly number[]
  readonly outputs: ToolOutputs
}

async function copyLines({ source, target, index, inode, branch, outputs }: Copying, writer: FileWriter): Promise<void> {
  const lines = new ChildLines(source.id, target.sessionId)
  const states = new Map<string, Buffer>()
  const values = new ValueFetcher(source.path)
  // A prompt from the queue has lines of its own, which no line hangs on.
  const tree = branch.filter((at) => index.rows.kind(at) !== 'queued')
  try {
    if (values.inode !== inode) throw rewritten(source.path)
    let breath = breathBytes
    const before = new Map(tree.map((at, i) => [at, tree[i - 1] ?? noRow]))
    for (const { at, type, line, lineBytes } of linesOf(index, branch, tree)) {
      const bytes = values.bytesAt(line, lineBytes)
      if (bytes.length < lineBytes) throw rewritten(source.path)
      const own = at === noRow ? null : treeLine(index, at, before)
      if (stateTypes.has(type)) states.set(type, lines.toBuffer(bytes, null))
      else if (outputs.isNamedIn(bytes)) writer.write(outputs.move(lines.toBuffer(bytes, own)))
      else if (own === null || !isPlain(index, at) || !lines.writePlain(bytes, own, index.rows.idAt(at), writer))
        lines.write(bytes, own, writer)
      if (values.fetchedBytes < breath) continue
      breath = values.fetchedBytes + breathBytes
      await setImmediate()
    }
  } finally {
    values.close()
  }
  for (const state of states.values()) writer.write(state)
  const { sessionId } = target
  for (const own of [
    { type: 'custom-title', customTitle: target.title, sessionId },
    { type: 'last-prompt', lastPrompt: lastPrompt(index, branch), leafUuid: index.rows.uuid(tree.at(-1) ?? noRow), sessionId },
  ]) {
    writer.write(Buffer.from(`${JSON.stringify(own)}\n`))
  }
}

/** A line and its parents in the child, where they are not those it names. A compaction begins a chain of its own. */
function treeLine({ rows, mended, keptUpTo }: LineIndex, at: number, before: ReadonlyMap<number, number>): TreeLine {
  const uuid = rows.uuid(at)
  const kept = keptUpTo.get(at)
  if (kept !== undefined) return { uuid, parentUuid: rows.uuid(kept) }
  const above = before.get(at) ?? noRow
  const parent = above === noRow ? null : rows.uuid(above)
  const isNamed = rows.direct(at) && !mended.has(at)
  if (rows.kind(at) === 'boundary') return isNamed ? { uuid } : { uuid, logicalParentUuid: parent }
  return isNamed && rows.parent(at) === above ? { uuid } : { uuid, parentUuid: parent }
}

/** The lines to write, in file order: those of the rows, and what goes with them before the last. */
function linesOf(index: LineIndex, branch: readonly number[], tree: readonly number[]) {
  const { rows, carried } = index
  const own = tree.map((at) => ({ at, type: '', line: rows.line(at), lineBytes: rows.lineBytes(at), place: rows.line(at) }))
  const last = own.reduce((end, { line }) => Math.max(end, line), 0)
  const states = carried.filter(({ line }) => line < last).map((each) => ({ at: noRow, ...each, place: each.line }))
  const queued = queueLines(index, new Set(branch)).map((each) => ({ at: noRow, ...each }))
  return [...own, ...states, ...queued].sort((a, b) => a.place - b.place)
}

/** A line whose id is where we know it to be, and that does not say yet where it comes from. */
function isPlain({ rows }: LineIndex, at: number): boolean {
  return rows.idAt(at) !== noRow && rows.origin(at) === null
}

/** Places found in one file mean nothing in another. */
function rewritten(path: string): AppError {
  return new AppError('plan_stale', `${path} was rewritten while it was being forked.`, { hint: 'Try again.' })
}

function indexFor(cut: Cut): IndexWish {
  return { wantedTool: cut.kind === 'message' ? cut.messageId : null }
}

function lastPrompt({ rows }: LineIndex, branch: readonly number[]): string {
  const prompt = branch.findLast((at) => rows.kind(at) === 'prompt') ?? noRow
  return rows.get(prompt)?.text.slice(0, lastPromptLength) ?? ''
}
