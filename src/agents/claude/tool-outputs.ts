// Long tool outputs lie in files of the source session and its lines name them by absolute path. A fork gets copies and the
// new paths: the source may be purged, and its folder with it.
import { constants, copyFileSync, existsSync, mkdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { isMissing } from '../../lib/file-errors.ts'
import { sideFolder } from './side-files.ts'

const folderName = 'tool-results'

/** Made only when there are outputs to copy. */
export function outputFoldersOf(path: string): string[] {
  return [join(sideFolder({ path }), folderName), sideFolder({ path })]
}

export class ToolOutputs {
  /** Files of the source that kept lines name. */
  readonly names = new Set<string>()
  readonly #from: Buffer
  readonly #to: Buffer
  readonly #fromFolder: string
  readonly #toFolder: string
  readonly #hasAny: boolean

  constructor(sourcePath: string, childPath: string) {
    this.#fromFolder = join(sideFolder({ path: sourcePath }), folderName)
    this.#toFolder = join(sideFolder({ path: childPath }), folderName)
    this.#from = inJson(`${this.#fromFolder}/`)
    this.#to = inJson(`${this.#toFolder}/`)
    this.#hasAny = existsSync(this.#fromFolder)
  }

  /** Looking for a name in every line takes longer than copying it: not where there is nothing to be named. */
  isNamedIn(line: Buffer): boolean {
    return this.#hasAny && line.includes(this.#from)
  }

  move(line: Buffer): Buffer {
    let found = line.indexOf(this.#from)
    const pieces: Buffer[] = []
    let at = 0
    while (found !== -1) {
      const rest = found + this.#from.length
      this.#note(line.toString('utf8', rest, rest + 256))
      pieces.push(line.subarray(at, found), this.#to)
      at = rest
      found = line.indexOf(this.#from, at)
    }
    pieces.push(line.subarray(at))
    return Buffer.concat(pieces)
  }

  #note(rest: string): void {
    const name = /^[\w.-]+/.exec(rest)?.[0].replace(/\.+$/, '')
    if (name !== undefined && basename(name) === name && name !== '') this.names.add(name)
  }

  /** Gives the paths made. A file that is gone already is left out: the source has lost it too. */
  copy(): string[] {
    if (this.names.size === 0) return []
    mkdirSync(this.#toFolder, { recursive: true, mode: 0o700 })
    return [...this.names].flatMap((name) => {
      const target = join(this.#toFolder, name)
      try {
        copyFileSync(join(this.#fromFolder, name), target, constants.COPYFILE_EXCL)
        return [target]
      } catch (error) {
        if (isMissing(error)) return []
        throw error
      }
    })
  }
}

function inJson(text: string): Buffer {
  return Buffer.from(JSON.stringify(text).slice(1, -1))
}
