// A fork by `prefix`: the lines of the chosen branch, in file order, under a new id in the folder Claude Code looks into from
// the child's directory. Order need not be causal: the CLI rebuilds the tree, and our `last-prompt` names the leaf.
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { createExclusive, type FileWriter, partPathOf } from '../../lib/exclusive-file.ts'
import { scanLines } from '../../lib/jsonl.ts'
import { AppError } from '../../model/error.ts'
import type { Cut } from '../../model/fork.ts'
import type { AgentEnv, ForkedFile, ForkTarget, SessionFile } from '../agent.ts'
import { ChildLines } from './child-lines.ts'
import { keepRows } from './cut.ts'
import { folderNameOf } from './folder-name.ts'
import { projectsFolder } from './folders.ts'
import type { LineIndex } from './line-index.ts'
import { isBulk } from './line-types.ts'
import { holdIndex, type IndexWish, openIndex } from './shared-index.ts'
import { outputFoldersOf, ToolOutputs } from './tool-outputs.ts'

/** State the CLI's own fork writes at the head of the child; the last of each counts. */
const stateTypes: ReadonlySet<string> = new Set(['mode', 'atis-latch', 'tools-used'])
/** Kept wherever it stands: which tool results the model was shown in short form. */
const keptTypes: ReadonlySet<string> = new Set(['content-replacement'])
const breathBytes = 8 << 20
const lastPromptLength = 200

/** Pass 1, once for the writing and for the proof. */
export async function holdSource({ path }: SessionFile, cut: Cut): Promise<() => void> {
  return cut.kind === 'start' ? () => undefined : holdIndex(path, indexFor(cut))
}

export async function writePrefix(source: SessionFile, env: AgentEnv, cut: Cut, target: ForkTarget): Promise<ForkedFile> {
  // A session without a message cannot be resumed: the child begins with its first prompt.
  if (cut.kind === 'start') return { sessionId: target.sessionId, path: null, created: [] }
  const { index } = await openIndex(source.path, indexFor(cut))
  const { rows, leaf } = keepRows(index, cut)
  const folder = join(projectsFolder(env), folderNameOf(target.cwd))
  const path = join(folder, `${target.sessionId}.jsonl`)
  if (existsSync(path)) throw new AppError('file_exists', `The session id ${target.sessionId} is taken.`)
  const isNewFolder = !existsSync(folder)
  for (const each of [...(isNewFolder ? [folder] : []), ...outputFoldersOf(path), partPathOf(path), path]) target.onCreate?.(each)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const uuids = new Set([...rows].map((at) => index.rows.uuid(at)))
  const outputs = new ToolOutputs(source.path, path)
  const prompt = lastPrompt(index, rows)
  await createExclusive(path, (writer) =>
    copyLines({ source, target, uuids, outputs, leaf: index.rows.uuid(leaf), prompt }, writer),
  )
  return {
    sessionId: target.sessionId,
    path,
    created: [path, ...outputs.copy(), ...outputFoldersOf(path), ...(isNewFolder ? [folder] : [])],
  }
}

interface Copying {
  readonly source: SessionFile
  readonly target: ForkTarget
  readonly uuids: ReadonlySet<string>
  readonly outputs: ToolOutputs
  readonly leaf: string
  readonly prompt: string
}

async function copyLines({ source, target, uuids, outputs, leaf, prompt }: Copying, writer: FileWriter): Promise<void> {
  const lines = new ChildLines(source.id, target.sessionId)
  const states = new Map<string, Buffer>()
  const left = new Set(uuids)
  let breath = breathBytes
  for (const line of scanLines(source.path)) {
    if (left.size === 0) break
    const seen = isBulk(line) ? null : lines.look(line)
    if (seen === null) continue
    if (stateTypes.has(seen.type)) states.set(seen.type, lines.toBuffer(line, seen))
    else if (keptTypes.has(seen.type)) lines.write(line, seen, writer)
    else if (left.delete(seen.uuid)) {
      if (outputs.isNamedIn(line)) writer.write(outputs.move(lines.toBuffer(line, seen)))
      else lines.write(line, seen, writer)
    }
    if (line.offset > breath) {
      breath = line.offset + breathBytes
      await setImmediate()
    }
  }
  for (const state of states.values()) writer.write(state)
  const { sessionId } = target
  for (const own of [
    { type: 'custom-title', customTitle: target.title, sessionId },
    { type: 'last-prompt', lastPrompt: prompt, leafUuid: leaf, sessionId },
  ]) {
    writer.write(Buffer.from(`${JSON.stringify(own)}\n`))
  }
}

function indexFor(cut: Cut): IndexWish {
  return { wantedTool: cut.kind === 'message' ? cut.messageId : null }
}

function lastPrompt(index: LineIndex, rows: ReadonlySet<number>): string {
  const prompts = [...rows].filter((at) => index.rows.kind(at) === 'prompt')
  return index.rows.get(Math.max(...prompts))?.text.slice(0, lastPromptLength) ?? ''
}
