// Which files made `git add` end: git names one at a time, or only the kind of them.
import { AppError } from '../model/error.ts'
import type { AddRequest } from './add-all.ts'
import { asBytePath, type BytePath, joinRecords, showPath, splitRecords } from './byte-path.ts'

const filterFaults = [
  /^fatal: ([\s\S]*?): clean filter '.*' failed$/m,
  /^fatal: failed to encode '([\s\S]*?)' from /m,
  /^fatal: BOM is (?:prohibited|required) in '([\s\S]*?)' if encoded /m,
]

/** A filter that stays running (LFS) could not be started: git names no file, all of that kind are meant. */
const filterGone = /^fatal: the remote end hung up unexpectedly$/m

/** Files that `git add` ended at, by what it said. */
export async function findCulprits(
  request: AddRequest,
  error: unknown,
  all: boolean,
): Promise<(readonly [BytePath, 'filter_failed' | 'unreadable'])[]> {
  const said = error instanceof AppError ? stderrOf(error) : ''
  const named = filterFaults.map((fault) => fault.exec(said)?.[1]).find((name) => name !== undefined)
  const closed = /^fatal: unable to stat '([\s\S]*?)': Permission denied$/m.exec(said)?.[1]
  const gone = filterGone.test(said)
  if (named === undefined && closed === undefined && !gone) return []
  const candidates = await listLeft(request)
  // One that git only compares, because it was written in the same second as the index, is not among them.
  const pick = (name: string) => candidates.find((path) => showPath(path) === name) ?? asBytePath(toBytes(name))
  if (closed !== undefined && named === undefined) return [[pick(closed), 'unreadable']]
  // Those written in the same second as the index are not among the candidates: when nothing else is left, whatever has a filter.
  const more = gone && all ? await listTracked(request) : []
  const failing = all || gone ? await findFiltered(request, [...candidates, ...more]) : []
  return [...(named === undefined ? [] : [pick(named)]), ...failing].map((path) => [path, 'filter_failed'])
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

async function listTracked({ git, root, index }: AddRequest): Promise<BytePath[]> {
  return splitRecords((await git(['ls-files', '-z'], { cwd: root, index })).stdout) as BytePath[]
}

async function findFiltered({ git, root, index }: AddRequest, paths: readonly BytePath[]): Promise<BytePath[]> {
  const args = ['check-attr', '-z', '--stdin', 'filter', 'working-tree-encoding']
  const records = splitRecords((await git(args, { cwd: root, index, input: joinRecords(paths) })).stdout)
  const found = records.filter((_, at) => at % 3 === 0 && !['unset', 'unspecified'].includes(records[at + 2] ?? ''))
  return [...new Set(found as BytePath[])]
}

/** Of a name as git told it, in the form of paths. */
export function toBytes(name: string): string {
  return Buffer.from(name).toString('latin1')
}

function stderrOf({ details }: AppError): string {
  if (typeof details !== 'object' || details === null || !('stderr' in details)) return ''
  return typeof details.stderr === 'string' ? details.stderr : ''
}
