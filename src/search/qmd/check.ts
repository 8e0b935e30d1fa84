// What `doctor` says about qmd. Not to have it is fine, unless the settings ask for it.
import type { Check } from '../../model/catalog.ts'
import { agentIds } from '../../model/session.ts'
import type { SearchContext } from '../context.ts'
import { collectionOf } from './collections.ts'
import { findModels } from './models.ts'
import { probeQmd } from './probe.ts'
import { createQmd } from './program.ts'

export async function checkQmd(context: SearchContext, isWanted: boolean): Promise<Check> {
  const qmd = createQmd(context)
  const probe = await probeQmd(qmd)
  if (!probe.usable) {
    const message = isWanted ? probe.message : `${probe.message} (only needed for --engine qmd)`
    const isFine = !isWanted && !probe.installed
    return { id: 'qmd', state: isFine ? 'ok' : 'warn', message, fix: isFine ? null : probe.fix }
  }
  const there = agentIds.map(collectionOf).filter((name) => probe.collections.includes(name))
  const { embed, generate } = findModels(context.env, qmd.configFile)
  const models = embed ? (generate ? 'all models' : 'the embedding model') : 'no models: words alone are searched'
  const message = `qmd answers; collections: ${there.join(', ') || 'none'}; ${models}`
  if (there.length > 0 || !isWanted) return { id: 'qmd', state: 'ok', message, fix: null }
  return { id: 'qmd', state: 'warn', message, fix: 'Run `offshoot index` with OFFSHOOT_QMD_INDEXING=true.' }
}
