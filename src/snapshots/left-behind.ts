// What a fork takes along and what not, said in few words: thousands of ignored files in one folder are one line with a count.
import { asBytePath, type BytePath, showPath } from './byte-path.ts'
import type { CopyProblem } from './copy-files.ts'
import { isEmbeddedRepository, type Status } from './status.ts'

export interface LeftBehind {
  /** A folder ends with `/`. */
  readonly path: string
  readonly reason: 'ignored' | 'submodule' | 'embedded-repository' | 'too-large' | 'filter-failed' | CopyProblem['reason']
  /** How many files; `null` for a folder nobody walked into. */
  readonly files: number | null
}

/** From this many ignored files of one folder on, the folder stands for them. */
const collapseFrom = 8

/** Of an ignored folder from which some files are taken along. */
export interface PartlyIncluded {
  readonly folder: BytePath
  readonly included: number
  readonly files: number
}

/** `status` must have been read with its ignored files. Submodules are not told here: whether they stay empty is not known yet. */
export function listLeftBehind(status: Status, included: readonly BytePath[], partly: readonly PartlyIncluded[]): LeftBehind[] {
  const chosen = new Set(included)
  const ignored = status.entries.filter((entry) => entry.kind === 'ignored' && !chosen.has(entry.path))
  const embedded = status.entries.filter(isEmbeddedRepository)
  const counts = new Map(partly.map((each) => [each.folder, each.files - each.included]))
  const lines = collapse(ignored.flatMap(({ path }) => (counts.get(path) === 0 ? [] : [path])))
  return [
    ...embedded.map(({ path }) => folder(path, 'embedded-repository')),
    ...lines.map((line) => ({ ...line, files: counts.get(asBytePath(Buffer.from(line.path).toString('latin1'))) ?? line.files })),
  ]
}

/** What is taken along, in as few words. */
export function showIncluded(included: readonly BytePath[], partly: readonly PartlyIncluded[]): string[] {
  const many = partly.filter((each) => each.included >= collapseFrom)
  const rest = included.filter((path) => !many.some((each) => path.startsWith(each.folder)))
  return [...many.map((each) => showPath(each.folder)), ...collapse(rest).map(({ path }) => path)]
}

export function listProblems(problems: readonly CopyProblem[]): LeftBehind[] {
  return problems.map(({ path, reason }) => ({ path: showPath(path), reason, files: 1 }))
}

function folder(path: BytePath, reason: LeftBehind['reason']): LeftBehind {
  return { path: `${showPath(path).replace(/\/$/, '')}/`, reason, files: null }
}

function collapse(paths: readonly BytePath[]): LeftBehind[] {
  const byFolder = new Map<string, BytePath[]>()
  const whole = paths.filter((path) => path.endsWith('/'))
  for (const path of paths) {
    if (path.endsWith('/')) continue
    const name = path.slice(0, path.lastIndexOf('/') + 1)
    const siblings = byFolder.get(name)
    if (siblings === undefined) byFolder.set(name, [path])
    else siblings.push(path)
  }
  const lines = whole.map((path) => folder(path, 'ignored'))
  for (const [name, files] of byFolder) {
    if (files.length < collapseFrom)
      lines.push(...files.map((path) => ({ path: showPath(path), reason: 'ignored' as const, files: 1 })))
    else lines.push({ path: showPath(name) || './', reason: 'ignored', files: files.length })
  }
  return lines
}
