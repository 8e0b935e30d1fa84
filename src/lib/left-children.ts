// Processes that write files for offshoot, noted in a file each while they run. kill -9 ends offshoot but not them: before the next
// command clears up what was cut off it ends them, or they would go on writing into what it removes.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileErrorCode } from './file-errors.ts'
import { isObject } from './jsonl.ts'
import { listOwnNames } from './own-folder.ts'
import { describeProcess, isRunning, type ProcessOwner } from './process-owner.ts'
import { endProcesses, processesBelow, signalProcess } from './process-tree.ts'
import { readRegularText } from './regular-file.ts'

interface Note {
  readonly parent: ProcessOwner
  readonly child: ProcessOwner
}

const pollMs = 20
/** git removes its lock files on SIGTERM, which takes milliseconds; what is slower is killed. */
const maxPolls = 250

const notesFolder = (folder: string) => join(folder, 'children')

/** Returns what removes the note again, to be called when the process has ended. Without a note (a full disk) the work goes on. */
export function noteChild(folder: string, pid: number): () => void {
  const notes = notesFolder(folder)
  const path = join(notes, String(pid))
  const note: Note = { parent: describeProcess(process.pid), child: describeProcess(pid) }
  unlessFileFails(() => {
    mkdirSync(notes, { recursive: true, mode: 0o700 })
    writeFileSync(path, JSON.stringify(note), { mode: 0o600 })
  })
  return () => unlessFileFails(() => rmSync(path, { force: true }))
}

function unlessFileFails(work: () => void): void {
  try {
    work()
  } catch (error) {
    if (fileErrorCode(error) === undefined) throw error
  }
}

/** Ends the noted processes whose parent is gone. */
export async function endLeftChildren(folder: string, env: Readonly<Record<string, string | undefined>>): Promise<void> {
  for (const name of listOwnNames(folder, notesFolder(folder))) {
    if (!/^\d+$/.test(name)) continue
    const path = join(notesFolder(folder), name)
    const note = readNote(path)
    if (note !== null && isRunning(note.parent)) continue
    if (note !== null) await endProcess(note.child, env)
    unlessFileFails(() => rmSync(path, { force: true }))
  }
}

/** Without its start time a process cannot be told from a later one with the same number, so it is left to end by itself. */
async function endProcess(child: ProcessOwner, env: Readonly<Record<string, string | undefined>>): Promise<void> {
  if (child.startedAt === '-' || !isRunning(child)) return
  const below = await processesBelow(child.pid, env)
  signalProcess(child.pid, 'SIGTERM')
  for (let polls = 0; polls < maxPolls && isRunning(child); polls++) await sleep(pollMs)
  if (isRunning(child)) signalProcess(child.pid, 'SIGKILL')
  await endProcesses(below, env)
}

/** `null` where a kill cut the note itself off, its process has just ended, or something else stands in its place. */
function readNote(path: string): Note | null {
  try {
    const note: unknown = JSON.parse(readRegularText(path))
    return isObject(note) && isProcess(note.parent) && isProcess(note.child) ? { parent: note.parent, child: note.child } : null
  } catch {
    return null // then nothing is known of a process to end
  }
}

function isProcess(value: unknown): value is ProcessOwner {
  return isObject(value) && Number.isInteger(value.pid) && typeof value.startedAt === 'string'
}
