// The captures table anew, from the refs of every repository ever seen. Turns outside of git have no ref: their rows stay.
import { existsSync } from 'node:fs'
import { errorMessage } from '../lib/error-message.ts'
import type { Capture, RebuildReport } from '../model/capture.ts'
import { listSnapshots } from '../snapshots/read-snapshot.ts'
import { safetyRefs } from '../snapshots/snapshot.ts'
import { completeSession } from './complete.ts'
import type { CaptureContext } from './context.ts'
import { judgeCaptures } from './judge-captures.ts'
import { keepFound, toCapture, withChanges } from './to-capture.ts'

export async function rebuildCaptures(context: CaptureContext): Promise<RebuildReport> {
  const store = context.store()
  const problems: { path: string; problem: string }[] = []
  const folders = knownFolders(context)
  let [repositories, captures, removed] = [0, 0, 0]
  for (const commonDir of folders) {
    // A repository that is away (an unmounted disk) takes none of its rows with it.
    if (!existsSync(commonDir)) continue
    try {
      const rows = await readRows(context, commonDir)
      removed += replaceRows(context, commonDir, rows)
      repositories += 1
      captures += rows.length
    } catch (error) {
      problems.push({ path: commonDir, problem: errorMessage(error) })
    }
  }
  for (const { agent, sessionId } of store.captures.incompleteSessions()) await completeSession(context, agent, sessionId)
  await judgeCaptures(context)
  return { repositories, captures, removed, problems }
}

function knownFolders(context: CaptureContext): string[] {
  const store = context.store()
  const known = [...store.repositories.all(), ...store.workspaces.all(), ...store.captures.all()]
  return [...new Set(known.flatMap(({ commonDir }) => commonDir ?? []))]
}

async function readRows(context: CaptureContext, commonDir: string): Promise<Capture[]> {
  const rows: Capture[] = []
  for (const { ref, id, tree, meta } of await listSnapshots(context.git, commonDir)) {
    if (ref.startsWith(safetyRefs)) continue
    rows.push(await withChanges(context.git, toCapture(meta, { commonDir, ref, id, tree })))
  }
  return rows
}

/** How many rows had no ref any more. */
function replaceRows(context: CaptureContext, commonDir: string, rows: readonly Capture[]): number {
  const store = context.store()
  return store.write(() => {
    const refs = new Set(rows.map(({ ref }) => ref))
    const gone = store.captures.all().filter((row) => row.commonDir === commonDir && !refs.has(row.ref))
    for (const row of gone) store.captures.remove(row)
    for (const row of rows) store.captures.put(keepFound(row, store.captures.get(row)))
    return gone.length
  })
}
