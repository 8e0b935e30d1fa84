// Brings everything searchable up to date, showing how far it is: the built-in index, and qmd's where a person has asked for that.
import type { App } from '../../app.ts'
import { cleanLine } from '../../lib/text/clean.ts'
import type { QmdReport } from '../../model/qmd.ts'
import type { IndexReport } from '../../model/search.ts'
import type { Context } from '../context.ts'
import { createMeter } from '../meter.ts'
import { createIndexMeter } from './meter.ts'

export interface IndexedAll {
  readonly builtin: IndexReport
  /** `null`: not asked for. */
  readonly qmd: QmdReport | null
}

export async function updateSearchIndex(context: Context, app: App, rebuild = false): Promise<IndexedAll> {
  const meter = createIndexMeter(context)
  // Nothing can be said while a large one is emptied and packed (24 s for 1.5 GB): so it is said before, and at once.
  const emptying = createMeter(context, 0)
  context.onExit(meter.clear)
  context.onExit(emptying.clear)
  if (rebuild) emptying.show(() => 'Emptying the index ...')
  try {
    const builtin = await (rebuild ? app.rebuildIndex : app.updateIndex)({ onProgress: meter.show })
    return { builtin, qmd: (await wantsQmd(context)) ? await app.updateQmd() : null }
  } finally {
    meter.clear()
    emptying.clear()
  }
}

/** To stderr: what could not be indexed, and that somebody else is at it. */
export function noteProblems({ out }: Context, { builtin, qmd }: IndexedAll): void {
  if (builtin.busy || qmd?.busy === true) out.note('Another offshoot is indexing right now.')
  for (const { path, problem } of [...builtin.problems, ...(qmd?.problems ?? [])]) {
    out.note(`${cleanLine(path)}: ${cleanLine(problem)}`)
  }
}

async function wantsQmd(context: Context): Promise<boolean> {
  return (await context.setting<boolean>('search.qmd_indexing')) || (await context.setting<string>('search.engine')) === 'qmd'
}
