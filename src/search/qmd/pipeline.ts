// The pipeline that keeps qmd's index: export, make collections, update, embed. Opt-in, one process at a time, every step bounded
// and cancellable; what one run leaves undone the next one does.
import { mkdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { readIfThere } from '../../lib/read-if-there.ts'
import { type QmdProgress, type QmdReport, qmdNotAvailable } from '../../model/qmd.ts'
import { agentIds } from '../../model/session.ts'
import { takeLock } from '../../store/lock.ts'
import type { SearchContext } from '../context.ts'
import { collectionOf, guide } from './collections.ts'
import { exportFolder, updateExports } from './exports.ts'
import { findModels } from './models.ts'
import { probeQmd } from './probe.ts'
import { createQmd, faultOf, type Qmd } from './program.ts'

export interface PipelineOptions {
  readonly onProgress?: ((progress: QmdProgress) => void) | undefined
  readonly signal?: AbortSignal | undefined
}

/** 2,000 files of 8 KB: 7.2 s to add, 1.4 s to update; a machine that is busy with other things is given much more. */
const indexMs = 15 * 60_000
/** Embedding on a CPU takes hours for thousands of files; qmd goes on where it stopped. */
const embedMs = 30 * 60_000

type Problem = QmdReport['problems'][number]

const nothing: QmdReport = {
  busy: false,
  stopped: false,
  exported: 0,
  removed: 0,
  added: [],
  updated: false,
  embedded: false,
  problems: [],
}

/** Everything, in order. */
export async function updateQmd(context: SearchContext, options: PipelineOptions = {}): Promise<QmdReport> {
  const qmd = createQmd(context)
  const probe = await probeQmd(qmd, { signal: options.signal })
  if (isStopped(options.signal)) return { ...nothing, stopped: true }
  if (!probe.usable) throw qmdNotAvailable(`${probe.message}.`, await guide(context, {}, [probe.fix]))
  mkdirSync(qmd.folder, { recursive: true, mode: 0o700 })
  const lock = takeLock(join(qmd.folder, 'pipeline.lock'), 0)
  if (lock === null) return { ...nothing, busy: true }
  try {
    const first = await bootstrapQmd(context, qmd, probe.collections, options)
    if (first.stopped) return first
    const then = await syncQmd(context, qmd, first.added.length < agentIds.length, options)
    return { ...first, ...then, problems: [...first.problems, ...then.problems] }
  } finally {
    lock.release()
  }
}

/** Exports what is new, and makes the collections that are missing or look into another folder; making one indexes it too. */
async function bootstrapQmd(
  context: SearchContext,
  qmd: Qmd,
  collections: readonly string[],
  { onProgress, signal }: PipelineOptions,
): Promise<QmdReport> {
  const { exported, removed, stopped, problems: unread } = await updateExports(context, { onProgress, signal })
  const problems: Problem[] = [...unread]
  const added: string[] = []
  const config = readIfThere(qmd.configFile) ?? ''
  for (const agent of agentIds) {
    if (isStopped(signal)) break
    const name = collectionOf(agent)
    const folder = exportFolder(context.folder, agent)
    const isThere = collections.includes(name)
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    if (isThere && [folder, realpathSync(folder)].includes(folderOf(config, name) ?? '')) continue
    onProgress?.({ step: 'collections', done: added.length, total: agentIds.length })
    if (isThere) await qmd.run(['collection', 'remove', name], { timeoutMs: indexMs, signal })
    const result = await qmd.run(['collection', 'add', folder, '--name', name], { timeoutMs: indexMs, signal })
    if (result.exitCode === 0) added.push(name)
    else if (!isStopped(signal)) problems.push({ path: name, problem: faultOf(result, indexMs) })
  }
  return { ...nothing, stopped: stopped || isStopped(signal), exported, removed, added, problems }
}

/** `embed` only with its model on disk: without, it waits for a download. */
async function syncQmd(context: SearchContext, qmd: Qmd, isUpdateDue: boolean, { onProgress, signal }: PipelineOptions) {
  const problems: Problem[] = []
  const step = async (name: 'update' | 'embed', timeoutMs: number): Promise<boolean> => {
    if (isStopped(signal)) return false
    onProgress?.({ step: name, done: 0, total: 1 })
    const result = await qmd.run([name], { timeoutMs, signal })
    if (result.exitCode === 0) return true
    if (!isStopped(signal)) problems.push({ path: `qmd ${name}`, problem: faultOf(result, timeoutMs) })
    return false
  }
  const updated = isUpdateDue && (await step('update', indexMs))
  const embedded = findModels(context.env, qmd.configFile).embed && (await step('embed', embedMs))
  return { updated, embedded, stopped: isStopped(signal), problems }
}

function isStopped(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true
}

/** As qmd writes it: two blanks, the name, then its fields with four. */
function folderOf(config: string, collection: string): string | null {
  const fields = new RegExp(`^  ${collection}:\\n((?:    .*\\n?)+)`, 'm').exec(config)?.[1] ?? ''
  return /^ {4}path: *["']?(.*?)["']? *$/m.exec(fields)?.[1] ?? null
}
