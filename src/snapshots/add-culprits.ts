// Which files made `git add` end: git names one at a time, or only the kind of them. And which filter, where leaving out the file is
// not enough: git also compares, as it writes an index, what was written in the same second as the index before.
import { AppError } from '../model/error.ts'
import type { AddRequest } from './add-all.ts'
import { asBytePath, type BytePath, joinRecords, showPath, splitRecords } from './byte-path.ts'
import { filterGone, turnOff } from './failed-filter.ts'
import { lookNow } from './not-covered.ts'

const filterFaults = [
  /^fatal: ([\s\S]*?): clean filter '.*' failed$/m,
  /^fatal: failed to encode '([\s\S]*?)' from /m,
  /^fatal: BOM is (?:prohibited|required) in '([\s\S]*?)' if encoded /m,
]

/** Files that `git add` ended at, by what it said. */
export async function findCulprits(
  request: AddRequest,
  error: unknown,
  all: boolean,
): Promise<(readonly [BytePath, 'filter_failed' | 'unreadable'])[]> {
  const said = error instanceof AppError ? stderrOf(error) : ''
  const named = filterFaults.map((fault) => fault.exec(said)?.[1]).find((name) => name !== undefined)
  const closed = /^fatal: unable to stat '([\s\S]*?)': Permission denied$/m.exec(said)?.[1]
  if (named === undefined && closed === undefined) return []
  const candidates = await listLeft(request)
  // One that git only compares, because it was written in the same second as the index, is not among them.
  const pick = (name: string) => candidates.find((path) => showPath(path) === name) ?? asBytePath(toBytes(name))
  if (named === undefined) return closed === undefined ? [] : [[pick(closed), 'unreadable']]
  const failing = all ? await findFiltered(request, candidates, () => true) : []
  return [pick(named), ...failing].map((path) => [path, 'filter_failed'])
}

/** Filters that `git add` ended at, by what it said; of the drivers that are set up. */
export function findFailedFilters({ filters }: AddRequest, error: unknown): string[] {
  const said = error instanceof AppError ? stderrOf(error) : ''
  if (filterGone.test(said)) return namesOf(filters.filter((setting) => setting.endsWith('.process')))
  const name = /: clean filter '(.*)' failed$/m.exec(said)?.[1]
  return name === undefined ? [] : namesOf(filters).filter((each) => showPath(each) === name)
}

/** Files that have one of these filters and may have changed. `request` is one where they are turned off. */
export async function listFiltered(request: AddRequest, filters: readonly string[]): Promise<BytePath[]> {
  return findFiltered(request, await listLeft(request), (filter) => filters.includes(filter))
}

/** For a call that has nothing to do with the content of files: no filter can make it fail. */
export function withoutFilters({ filters }: AddRequest): Record<string, string> {
  return Object.assign({}, ...namesOf(filters).map(turnOff))
}

/** Of settings such as `filter.lfs.clean`. */
function namesOf(settings: readonly string[]): string[] {
  return [...new Set(settings.map((setting) => setting.slice('filter.'.length, setting.lastIndexOf('.'))))]
}

/** What `git add` would take, or has not taken. */
export async function listLeft({ git, root, index, config }: AddRequest): Promise<BytePath[]> {
  // Comparing may fail of the same filter that adding failed of.
  const call = { cwd: root, index, config, accept: [0, 128] }
  const lists = await Promise.all([
    git(['diff-files', '-z', '--name-only', '--ignore-submodules=all'], call),
    git(['ls-files', '--others', '--exclude-standard', '-z'], call),
  ])
  return [...new Set(lists.flatMap(({ stdout }) => splitRecords(stdout) as BytePath[]))]
}

/** Without what is gone: that needs no filter. */
async function findFiltered(
  { git, root, index }: AddRequest,
  paths: readonly BytePath[],
  isMeant: (filter: string) => boolean,
): Promise<BytePath[]> {
  const args = ['check-attr', '-z', '--stdin', 'filter', 'working-tree-encoding']
  const records = splitRecords((await git(args, { cwd: root, index, input: joinRecords(paths) })).stdout)
  const found = records.filter((_, at) => {
    const value = records[at + 2] ?? ''
    return at % 3 === 0 && !['unset', 'unspecified'].includes(value) && isMeant(value)
  }) as BytePath[]
  return [...new Set(found)].filter((path) => lookNow(root, path) !== 'gone')
}

/** Of a name as git told it, in the form of paths. */
export function toBytes(name: string): string {
  return Buffer.from(name).toString('latin1')
}

function stderrOf({ details }: AppError): string {
  if (typeof details !== 'object' || details === null || !('stderr' in details)) return ''
  return typeof details.stderr === 'string' ? details.stderr : ''
}
