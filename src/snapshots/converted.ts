// Which unchanged files must be copied, not checked out, to be the same byte for byte: line ends, $Id$, encodings and
// filters (LFS) make the file differ from its blob. Copying them also spares running somebody's smudge filter.
import { judgeAttributes, judgePlain, type Verdict } from './attributes.ts'
import { type BytePath, joinRecords, splitRecords } from './byte-path.ts'
import type { Git } from './git.ts'
import type { GitSettings } from './git-settings.ts'
import type { IndexEntry } from './index-file.ts'
import type { Status } from './status.ts'

export interface ConvertedQuestion {
  readonly git: Git
  readonly root: string
  /** The copy of the index the entries were read from. */
  readonly index: string
  readonly settings: GitSettings
  readonly status: Status
}

export interface Converted {
  readonly converted: ReadonlySet<BytePath>
  /** Whether git, comparing one of the others, might call it changed. */
  readonly doubtful: boolean
}

export async function findConverted(question: ConvertedQuestion, entries: readonly IndexEntry[]): Promise<Converted> {
  const { settings } = question
  const [verdicts, sizes, flipped] = await Promise.all([
    readVerdicts(question, entries),
    readBlobSizes(question, entries),
    settings.filemode ? new Set<BytePath>() : findFlipped(question),
  ])
  const plain = judgePlain(settings)
  const converted = new Set<BytePath>()
  let doubtful = false
  entries.forEach(({ path, sizeBytes }, number) => {
    const known = verdicts.map((each) => each.get(path) ?? plain)
    // A file with the size of its blob lost no line ends on its way in; git never calls it unchanged when its size changed.
    const asBlob = sizeBytes === sizes[number] && !known.some((verdict) => verdict.converts)
    if (!asBlob || flipped.has(path)) converted.add(path)
    else doubtful ||= known.some((verdict) => verdict.doubtful)
  })
  return { converted, doubtful }
}

/** By the index's attributes, as checkout goes; and by the files' own while a .gitattributes is edited. */
async function readVerdicts(
  { git, root, index, status, settings }: ConvertedQuestion,
  entries: readonly IndexEntry[],
): Promise<Map<BytePath, Verdict>[]> {
  const edited = status.entries.some((entry) => entry.path.endsWith('.gitattributes'))
  const input = joinRecords(entries.map((entry) => entry.path))
  const ask = async (...where: string[]) => {
    const args = ['check-attr', '-z', '--stdin', '--all', ...where]
    return judgeAttributes((await git(args, { cwd: root, index, input })).stdout, settings)
  }
  return Promise.all(edited ? [ask('--cached'), ask()] : [ask('--cached')])
}

async function readBlobSizes({ git, root }: ConvertedQuestion, entries: readonly IndexEntry[]): Promise<number[]> {
  const input = entries.map((entry) => `${entry.blob}\n`).join('')
  const { stdout } = await git(['cat-file', '--batch-check=%(objectsize)', '--buffer'], { cwd: root, input })
  return stdout.split('\n').map(Number)
}

/** Files whose executable bit is not the index's, where git is told to look away from it (and those merely written since). */
async function findFlipped({ git, root, index, settings }: ConvertedQuestion): Promise<Set<BytePath>> {
  const config = { ...settings.overrides, 'core.filemode': 'true' }
  const { stdout } = await git(['diff-files', '-z', '--name-only', '--ignore-submodules=all'], { cwd: root, index, config })
  return new Set(splitRecords(stdout) as BytePath[])
}
