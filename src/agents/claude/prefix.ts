// A fork by `prefix`: the lines of the chosen branch, in file order, under a new id in the folder Claude Code looks into from
// the child's directory. Order need not be causal: the CLI rebuilds the tree, and our `last-prompt` names the leaf.
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { createExclusive, type FileWriter, partPathOf } from '../../lib/exclusive-file.ts'
import { AppError } from '../../model/error.ts'
import type { Cut } from '../../model/fork.ts'
import type { SessionFile } from '../agent.ts'
import type { AgentEnv } from '../agent-env.ts'
import type { ForkedFile, ForkTarget } from '../forking.ts'
import { ChildLines } from './child-lines.ts'
import { keepRows } from './cut.ts'
import { folderNameOf } from './folder-name.ts'
import { projectsFolder } from './folders.ts'
import type { LineIndex } from './line-index.ts'
import { stateTypes } from './line-types.ts'
import { queueLines } from './queue.ts'
import { noRow } from './row.ts'
import { holdIndex, type IndexWish, openIndex } from './shared-index.ts'
import { outputFoldersOf, ToolOutputs } from './tool-outputs.ts'
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
  const { rows, leaf } = keepRows(index, cut)
  const folder = join(projectsFolder(env), folderNameOf(target.cwd))
  const path = join(folder, `${target.sessionId}.jsonl`)
  if (existsSync(path)) throw new AppError('file_exists', `The session id ${target.sessionId} is taken.`)
  const isNewFolder = !existsSync(folder)
  for (const each of [...(isNewFolder ? [folder] : []), ...outputFoldersOf(path), partPathOf(path), path]) target.onCreate?.(each)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const outputs = new ToolOutputs(source.path, path)
  await createExclusive(path, (writer) => copyLines({ source, target, index, inode, rows, leaf, outputs }, writer))
  return {
    sessionId: target.sessionId,
    path,
    created: [path, ...outputs.copy(), ...outputFoldersOf(path), ...(isNewFolder ? [folder] : [])],
  }
}

interface Copying {
  readonly source: SessionFile
  readonly target: ForkTarget
  readonly index: LineIndex
  readonly inode: number
  readonly rows: ReadonlySet<number>
  readonly leaf: number
  readonly outputs: ToolOutputs
}

async function copyLines({ source, target, index, inode, rows, leaf, outputs }: Copying, writer: FileWriter): Promise<void> {
  const lines = new ChildLines(source.id, target.sessionId)
  const states = new Map<string, Buffer>()
  const values = new ValueFetcher(source.path)
  try {
    if (values.inode !== inode) throw rewritten(source.path)
    let breath = breathBytes
    for (const { at, type, line, lineBytes } of linesOf(index, rows)) {
      const bytes = values.bytesAt(line, lineBytes)
      if (bytes.length < lineBytes) throw rewritten(source.path)
      const uuid = at === noRow ? null : index.rows.uuid(at)
      if (stateTypes.has(type)) states.set(type, lines.toBuffer(bytes, null))
      else if (outputs.isNamedIn(bytes)) writer.write(outputs.move(lines.toBuffer(bytes, uuid)))
      else if (!isPlain(index, at) || !lines.writePlain(bytes, uuid ?? '', index.rows.idAt(at), writer))
        lines.write(bytes, uuid, writer)
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
    { type: 'last-prompt', lastPrompt: lastPrompt(index, rows), leafUuid: index.rows.uuid(leaf), sessionId },
  ]) {
    writer.write(Buffer.from(`${JSON.stringify(own)}\n`))
  }
}

/** The lines to write, in file order: those of the rows, and what goes with them before the last. */
function linesOf(index: LineIndex, kept: ReadonlySet<number>) {
  const { rows, carried } = index
  const ofTree = [...kept].filter((at) => rows.kind(at) !== 'queued')
  const own = ofTree.map((at) => ({ at, type: '', line: rows.line(at), lineBytes: rows.lineBytes(at) }))
  const last = own.reduce((end, { line }) => Math.max(end, line), 0)
  const others = [...carried.filter(({ line }) => line < last), ...queueLines(index, kept)]
  return [...own, ...others.map((each) => ({ at: noRow, ...each }))].sort((a, b) => a.line - b.line)
}

/** A line of the tree whose id is where we know it to be, and that does not say yet where it comes from. */
function isPlain({ rows }: LineIndex, at: number): boolean {
  return at !== noRow && rows.idAt(at) !== noRow && rows.origin(at) === null
}

/** Places found in one file mean nothing in another. */
function rewritten(path: string): AppError {
  return new AppError('plan_stale', `${path} was rewritten while it was being forked.`, { hint: 'Try again.' })
}

function indexFor(cut: Cut): IndexWish {
  return { wantedTool: cut.kind === 'message' ? cut.messageId : null }
}

function lastPrompt(index: LineIndex, rows: ReadonlySet<number>): string {
  const prompts = [...rows].filter((at) => index.rows.kind(at) === 'prompt')
  return index.rows.get(Math.max(...prompts))?.text.slice(0, lastPromptLength) ?? ''
}
