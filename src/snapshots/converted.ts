// Which unchanged files must be copied, not checked out, to be the same byte for byte: line ends, $Id$, encodings and
// filters (LFS) make the file differ from its blob. Copying them also spares running somebody's smudge filter.
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
  /** Whether git, comparing one of the others, might call it changed: only for `text` without `auto`. */
  readonly doubtful: boolean
}

export async function findConverted(question: ConvertedQuestion, entries: readonly IndexEntry[]): Promise<Converted> {
  const [attributes, sizes] = await Promise.all([readAttributes(question, entries), readBlobSizes(question, entries)])
  const { settings } = question
  const inPlay = attributes.some((each) => each.size > 0) || settings.autocrlf !== 'false' || !settings.filemode
  const touched = inPlay ? await findTouched(question) : new Set<BytePath>()
  const converted = new Set<BytePath>()
  let doubtful = false
  entries.forEach(({ path, sizeBytes }, number) => {
    const known = attributes.map((each) => each.get(path))
    // What checkout leaves alone and has the size of its blob was not changed by dropping line ends either.
    const asBlob = sizeBytes === sizes[number] && !known.some((each) => mayConvert(each, settings))
    if (!asBlob || touched.has(path)) converted.add(path)
    else doubtful ||= known.some((each) => each?.get('text') === 'set' || each?.has('eol') || each?.get('crlf') === 'set')
  })
  return { converted, doubtful }
}

/** The index's, by which checkout goes; and the files' own while a .gitattributes is edited. */
async function readAttributes(
  { git, root, index, status }: ConvertedQuestion,
  entries: readonly IndexEntry[],
): Promise<Map<BytePath, Attributes>[]> {
  const edited = status.entries.some((entry) => entry.path.endsWith('.gitattributes'))
  const input = joinRecords(entries.map((entry) => entry.path))
  const ask = async (...where: string[]) => {
    const args = ['check-attr', '-z', '--stdin', '--all', ...where]
    return parseAttributes((await git(args, { cwd: root, index, input })).stdout)
  }
  return Promise.all(edited ? [ask('--cached'), ask()] : [ask('--cached')])
}

async function readBlobSizes({ git, root }: ConvertedQuestion, entries: readonly IndexEntry[]): Promise<number[]> {
  const input = entries.map((entry) => `${entry.blob}\n`).join('')
  const { stdout } = await git(['cat-file', '--batch-check=%(objectsize)', '--buffer'], { cwd: root, input })
  return stdout.split('\n').map(Number)
}

/** Files written since git last looked: status calls them unchanged when only their line ends are new. */
async function findTouched({ git, root, index, settings }: ConvertedQuestion): Promise<Set<BytePath>> {
  const config = { ...settings.overrides, 'core.filemode': 'true' }
  const { stdout } = await git(['diff-files', '-z', '--name-only', '--ignore-submodules=all'], { cwd: root, index, config })
  return new Set(splitRecords(stdout) as BytePath[])
}

type Attributes = ReadonlyMap<string, string>

export function parseAttributes(output: string): Map<BytePath, Attributes> {
  const byPath = new Map<BytePath, Map<string, string>>()
  const records = splitRecords(output)
  for (let at = 0; at + 2 < records.length; at += 3) {
    const [path, name, value] = records.slice(at, at + 3) as [BytePath, string, string]
    const known = byPath.get(path)
    if (known === undefined) byPath.set(path, new Map([[name, value]]))
    else known.set(name, value)
  }
  return byPath
}

/** Whether checkout may write other bytes than the blob's. `text` alone changes nothing on the way out, unless CRLF is wanted. */
export function mayConvert(attributes: Attributes | undefined, { autocrlf, eolIsCrlf }: GitSettings): boolean {
  const isSet = (name: string) => !['unset', 'unspecified', undefined].includes(attributes?.get(name))
  if (isSet('filter') || isSet('ident') || isSet('working-tree-encoding')) return true
  if (attributes?.get('eol') === 'crlf') return true
  if (attributes?.get('text') === 'unset' || attributes?.get('crlf') === 'unset') return false
  return autocrlf === 'true' || (eolIsCrlf && (isSet('text') || isSet('crlf')))
}
