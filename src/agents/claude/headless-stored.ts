// Waits until lines are in a session's file. Claude Code tells of a line before it has written it (2.1.197: 16 to 93 ms before,
// always; 2.1.325 rarely), and who reads the file at the end of a turn must find the turn in it.
import { closeSync, existsSync, readdirSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { isMissing } from '../../lib/file-errors.ts'
import { openRegular } from '../../lib/regular-file.ts'
import type { AgentEnv } from '../agent-env.ts'
import { folderNameOf } from './folder-name.ts'
import { projectsFolder } from './folders.ts'

const everyMs = 20
const tries = 100 // 2 s
const chunkBytes = 1024 * 1024

/** Reads on where it stopped, so that a long session is read once. */
export class StoredLines {
  readonly #env: AgentEnv
  readonly #sessionId: string
  readonly #cwd: string
  #path: string | null = null
  #offset = 0
  #tail = ''

  constructor(env: AgentEnv, sessionId: string, cwd: string) {
    this.#env = env
    this.#sessionId = sessionId
    this.#cwd = cwd
  }

  /** What is there now is of no interest: called before a prompt is sent. */
  skipPast(): void {
    this.#path ??= this.#find()
    if (this.#path !== null) this.#offset = statSync(this.#path, { throwIfNoEntry: false })?.size ?? 0
    this.#tail = ''
  }

  /** False when the time is over before all of them are there. */
  async waitFor(uuids: readonly string[]): Promise<boolean> {
    const missing = new Set(uuids)
    for (let left = tries; left > 0; left -= 1) {
      this.#readOn(missing)
      if (missing.size === 0) return true
      await pause(everyMs)
    }
    return false
  }

  #readOn(missing: Set<string>): void {
    this.#path ??= this.#find()
    if (this.#path === null) return
    try {
      const fd = openRegular(this.#path)
      try {
        this.#scan(fd, missing)
      } finally {
        closeSync(fd)
      }
    } catch (error) {
      if (!isMissing(error)) throw error // removed under us: the time limit ends the wait
    }
  }

  #scan(fd: number, missing: Set<string>): void {
    const buffer = Buffer.allocUnsafe(chunkBytes)
    for (let got = -1; got !== 0; ) {
      got = readSync(fd, buffer, 0, chunkBytes, this.#offset)
      this.#offset += got
      const text = this.#tail + buffer.toString('latin1', 0, got)
      for (const uuid of missing) if (text.includes(`"uuid":"${uuid}"`)) missing.delete(uuid)
      this.#tail = text.slice(-100)
    }
  }

  /** The folder's own comes first, as for the CLI; a resumed session stays where it was, whatever directory it goes on in. */
  #find(): string | null {
    const projects = projectsFolder(this.#env)
    try {
      const folders = [folderNameOf(this.#cwd), ...readdirSync(projects)]
      const paths = folders.map((folder) => join(projects, folder, `${this.#sessionId}.jsonl`))
      return paths.find((path) => existsSync(path)) ?? null
    } catch (error) {
      if (isMissing(error)) return null
      throw error
    }
  }
}
