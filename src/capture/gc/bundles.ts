// The commits of a branch that is cleared away by force, kept for a while outside of the repository: under a ref they would show
// in `git log --all`. A bundle holds only what no other branch has, and git itself fetches from it.
import { chmod, mkdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { listOwnNames } from '../../lib/own-folder.ts'
import type { WorkspaceRecord } from '../../store/workspaces.ts'
import type { Finding, GcContext } from './gc.ts'
import type { SubmoduleWork } from './submodule-work.ts'

const keptDays = 30
const dayMs = 86_400_000

const bundlesFolder = ({ folder }: GcContext) => join(folder, 'bundles')

function bundlePath(gc: GcContext, { id }: Pick<WorkspaceRecord, 'id'>, submodule?: SubmoduleWork): string {
  const inside = submodule === undefined ? '' : `.${submodule.path.replaceAll(/[^\w.-]+/g, '-')}`
  return join(bundlesFolder(gc), `gc-${id}${inside}.bundle`)
}

/** What brings them back, to be run in the repository. */
export function describeBundle(gc: GcContext, workspace: WorkspaceRecord): string {
  const { branch } = workspace
  return `its commits are kept for ${keptDays} days: git fetch '${bundlePath(gc, workspace)}' ${branch}:${branch}`
}

export function describeSubmoduleBundle(gc: GcContext, workspace: WorkspaceRecord, submodule: SubmoduleWork): string {
  const path = bundlePath(gc, workspace, submodule)
  return `the commits of ${submodule.path} are kept for ${keptDays} days: git fetch '${path}' HEAD, in that submodule`
}

export async function keepSubmodule(gc: GcContext, workspace: WorkspaceRecord, submodule: SubmoduleWork): Promise<void> {
  const tips = ['HEAD', '--branches', '--not', '--remotes', '--tags']
  await writeBundle(gc, bundlePath(gc, workspace, submodule), submodule.repository.root, tips)
}

/** `others`: branches that do not count as keeping its commits, since they may go as well; by their short names. */
export async function keepCommits(
  gc: GcContext,
  workspace: WorkspaceRecord,
  { isThere, others }: { readonly isThere: boolean; readonly others: readonly string[] },
): Promise<void> {
  // In its own work tree HEAD may stand elsewhere than the branch.
  const tips = [`refs/heads/${workspace.branch}`, ...(isThere ? ['HEAD'] : [])]
  const elsewhere = ['--not', ...others.map((branch) => `--exclude=${branch}`), '--branches', '--remotes', '--tags']
  await writeBundle(gc, bundlePath(gc, workspace), isThere ? workspace.path : workspace.commonDir, [...tips, ...elsewhere])
}

async function writeBundle(gc: GcContext, path: string, cwd: string, what: readonly string[]): Promise<void> {
  await mkdir(bundlesFolder(gc), { recursive: true, mode: 0o700 })
  const part = `${path}.part`
  await gc.git(['bundle', 'create', '-q', part, ...what], { cwd })
  await chmod(part, 0o600)
  await rename(part, path)
}

export async function findBundleGarbage(gc: GcContext): Promise<Finding[]> {
  const findings: Finding[] = []
  const workspaces = gc.store().workspaces.all()
  for (const name of listOwnNames(gc.folder, bundlesFolder(gc)).sort()) {
    const owner = workspaces.find(({ id }) => name.startsWith(`gc-${id}.`))
    if (gc.repository !== null && owner !== undefined && owner.commonDir !== gc.repository) continue
    const path = join(bundlesFolder(gc), name)
    const { mtimeMs, size: bytes } = await stat(path)
    const ageMs = gc.now() - mtimeMs
    const about = { kind: 'safety' as const, name, path, bytes }
    const left = Math.ceil(keptDays - ageMs / dayMs)
    if (ageMs < keptDays * dayMs) findings.push({ ...about, reason: `kept for ${left} more days`, remove: null })
    else findings.push({ ...about, reason: `older than ${keptDays} days`, remove: () => rm(path, { force: true }) })
  }
  return findings
}
