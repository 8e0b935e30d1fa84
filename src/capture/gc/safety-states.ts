// States kept before a restore (or a forced clearing away): for 30 days, then what they were kept for cannot be undone any more.
import { deleteSnapshots } from '../../snapshots/collect-garbage.ts'
import { listSnapshots } from '../../snapshots/read-snapshot.ts'
import { safetyRefs } from '../../snapshots/snapshot.ts'
import type { Finding, GcContext } from './gc.ts'
import { orPassOver } from './pass-over.ts'
import { knownRepositories } from './session-snapshots.ts'

const keptDays = 30
const dayMs = 86_400_000

export async function findSafetyGarbage(gc: GcContext): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const commonDir of knownRepositories(gc)) {
    const about = { kind: 'safety' as const, name: 'states kept before a restore', path: commonDir }
    findings.push(...(await orPassOver(about, () => judgeRepository(gc, commonDir))))
  }
  return findings
}

async function judgeRepository(gc: GcContext, commonDir: string): Promise<Finding[]> {
  return (await listSnapshots(gc.git, commonDir, safetyRefs)).map((snapshot): Finding => {
    const { ref, meta } = snapshot
    const ageMs = gc.now() - (meta.endedAt ?? gc.now())
    const name = `${ref.slice(safetyRefs.length)} (${meta.prompt})`
    const about = { kind: 'safety' as const, name, path: commonDir, bytes: 0 }
    if (ageMs < keptDays * dayMs) {
      const left = Math.ceil(keptDays - ageMs / dayMs)
      return { ...about, reason: `kept for ${left} more days`, remove: null }
    }
    const remove = async () => void (await deleteSnapshots(gc.git, commonDir, [snapshot], gc.now()))
    return { ...about, reason: `older than ${keptDays} days`, remove }
  })
}
