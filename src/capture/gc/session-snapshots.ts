// Snapshots of sessions that are gone from everywhere, and, where the settings say so, of turns older than some days. In every
// repository that is looked at; the objects themselves go with the person's next `git gc`, since we never prune.
import { existsSync } from 'node:fs'
import { deleteSnapshots, type JudgedSnapshot, judgeSnapshots, measureSnapshots } from '../../snapshots/collect-garbage.ts'
import { listSnapshots } from '../../snapshots/read-snapshot.ts'
import { type Snapshot, safetyRefs } from '../../snapshots/snapshot.ts'
import type { Finding, GcContext } from './gc.ts'
import { orPassOver } from './pass-over.ts'

const dayMs = 86_400_000
/** A session whose transcript is not there yet, or not any more, for whatever reason: a week to find it again. */
const graceMs = 7 * dayMs

export async function findSnapshotGarbage(gc: GcContext): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const commonDir of knownRepositories(gc)) {
    const about = { kind: 'snapshots' as const, name: 'snapshots', path: commonDir }
    findings.push(...(await orPassOver(about, () => judgeRepository(gc, commonDir))))
  }
  return findings
}

/** Those to look at. */
export function knownRepositories(gc: GcContext): string[] {
  const store = gc.store()
  const all = [
    ...store.repositories.all().map(({ commonDir }) => commonDir),
    ...store.workspaces.all().map(({ commonDir }) => commonDir),
    ...store.captures.all().flatMap(({ commonDir }) => commonDir ?? []),
    ...store.restores.all().map(({ commonDir }) => commonDir),
  ]
  const wanted = gc.repository === null ? all : all.filter((path) => path === gc.repository)
  return [...new Set(wanted)].filter((path) => existsSync(path)).sort()
}

async function judgeRepository(gc: GcContext, commonDir: string): Promise<Finding[]> {
  const all = (await listSnapshots(gc.git, commonDir)).filter(({ ref }) => !ref.startsWith(safetyRefs))
  if (all.length === 0) return []
  const keepMs = (await gc.keepDays()) * dayMs
  const oldest = keepMs === 0 ? 0 : gc.now() - keepMs
  const isOld = ({ meta }: Snapshot) => (meta.endedAt ?? meta.startedAt ?? gc.now()) < oldest
  const judged = judgeSnapshots(all, {
    isAlive: ({ agent, sessionId, endedAt, startedAt }) =>
      gc.sessions.isAlive(agent, sessionId) && (endedAt ?? startedAt ?? gc.now()) >= oldest,
    neededFor: (snapshot) => neededFor(gc, snapshot),
    before: gc.now() - graceMs,
  })
  const going = judged.filter(({ goes }) => goes).map(({ snapshot }) => snapshot)
  const staying = judged.filter(({ goes }) => !goes).map(({ snapshot }) => snapshot)
  const bytes = await measureSnapshots(gc.git, commonDir, going, staying)
  const groups = groupBySession(judged)
  let told = false
  return groups.map(({ name, judged: group }): Finding => {
    const first = group[0]
    const goes = first?.goes === true
    const snapshots = group.map(({ snapshot }) => snapshot)
    const count = group.length === 1 ? '1 snapshot' : `${group.length} snapshots`
    const reason =
      goes && snapshots.every(isOld) && isAliveAt(gc, snapshots) ? 'older than the settings keep' : (first?.reason ?? '')
    // What they hold together cannot be told apart: named once.
    const size = goes && !told ? bytes : 0
    told ||= goes
    const about = { kind: 'snapshots' as const, name: `${count} of ${name}`, path: commonDir, bytes: size }
    return goes ? { ...about, reason, remove: () => drop(gc, commonDir, snapshots) } : { ...about, reason, remove: null }
  })
}

function isAliveAt(gc: GcContext, [first]: readonly Snapshot[]): boolean {
  return first !== undefined && gc.sessions.isAlive(first.meta.agent, first.meta.sessionId)
}

function neededFor(gc: GcContext, { meta: { agent, sessionId } }: Snapshot): string | null {
  if (gc.sessions.isOpen(agent, sessionId)) return 'its session is open'
  const child = gc.sessions.childOf(agent, sessionId)
  return child === null ? null : `${child} was forked from its session`
}

/** A session's snapshots that share a fate and a reason. */
function groupBySession(judged: readonly JudgedSnapshot[]): { name: string; judged: JudgedSnapshot[] }[] {
  const groups = new Map<string, { name: string; judged: JudgedSnapshot[] }>()
  for (const each of judged) {
    const { agent, sessionId } = each.snapshot.meta
    const name = `${agent}:${sessionId}`
    const key = `${name} ${each.goes} ${each.reason}`
    const group = groups.get(key) ?? { name, judged: [] }
    group.judged.push(each)
    groups.set(key, group)
  }
  return [...groups.values()]
}

async function drop(gc: GcContext, commonDir: string, snapshots: readonly Snapshot[]): Promise<void> {
  const { deleted } = await deleteSnapshots(gc.git, commonDir, snapshots, gc.now())
  const gone = new Set(deleted)
  const store = gc.store()
  store.write(() => {
    for (const { ref, meta } of snapshots) if (gone.has(ref)) store.captures.remove(meta)
  })
}
