// Which collections to ask, and in which index: ours by agent, or one the person names. Where there is none to ask, the answer
// is guidance (SF5): what to do, and the latest sessions meanwhile.
import { join } from 'node:path'
import type { AgentEnv } from '../../agents/agent-env.ts'
import { type QmdGuidance, qmdNotAvailable } from '../../model/qmd.ts'
import type { SearchQuery } from '../../model/search.ts'
import { type AgentId, agentIds } from '../../model/session.ts'
import type { SearchContext } from '../context.ts'
import { type Probe, probeQmd } from './probe.ts'
import type { Qmd, QmdIndex } from './program.ts'

export interface Chosen {
  readonly index: QmdIndex
  readonly collections: readonly string[]
  /** The config that names the models of this index. */
  readonly configFile: string
  readonly notes: readonly string[]
}

export function collectionOf(agent: AgentId): string {
  return `${agent}-sessions`
}

export function agentOf(collection: string): AgentId | null {
  return agentIds.find((agent) => collectionOf(agent) === collection) ?? null
}

const otherwise = 'Meanwhile search with the built-in engine: `--engine builtin`, without a collection.'
const build = 'Run `offshoot index` with OFFSHOOT_QMD_INDEXING=true: it exports the sessions and makes the collections.'

const probeHoldsMs = 60_000

/** Half the time of a search goes into finding out what qmd has; a server need not ask each time. */
export function createProbe(qmd: Qmd, now: () => number) {
  let known: readonly string[] = []
  let knownAt = Number.NEGATIVE_INFINITY
  return {
    async look(wanted: readonly string[], signal?: AbortSignal): Promise<Probe> {
      if (now() - knownAt < probeHoldsMs && wanted.every((name) => known.includes(name)))
        return { usable: true, collections: known }
      const probe = await probeQmd(qmd, { signal })
      if (probe.usable) known = probe.collections
      knownAt = probe.usable ? now() : Number.NEGATIVE_INFINITY
      return probe
    },
    forget(): void {
      knownAt = Number.NEGATIVE_INFINITY
    },
  }
}

export async function chooseCollections(
  context: SearchContext,
  { qmd, probing }: { readonly qmd: Qmd; readonly probing: ReturnType<typeof createProbe> },
  { collection, agent, repo, limit }: Pick<SearchQuery, 'collection' | 'agent' | 'repo' | 'limit'>,
  signal?: AbortSignal,
): Promise<Chosen> {
  const refuse = async (message: string, steps: readonly string[]) => {
    signal?.throwIfAborted()
    throw qmdNotAvailable(message, await guide(context, { agent, repo, limit }, [...steps, otherwise]))
  }
  const wanted = collection !== undefined ? [collection] : (agent === undefined ? agentIds : [agent]).map(collectionOf)
  const probe = await probing.look(wanted, signal)
  if (!probe.usable) return refuse(`${probe.message}.`, [probe.fix, ...(probe.installed ? [] : [build])])
  if (collection !== undefined) {
    if (probe.collections.includes(collection)) return ours(qmd, [collection])
    const own = await probeQmd(qmd, { index: 'theirs', signal })
    if (own.usable && own.collections.includes(collection)) {
      return { index: 'theirs', collections: [collection], configFile: ownConfig(context.env), notes: [] }
    }
    const known = [...probe.collections, ...(own.usable ? own.collections : [])]
    const named = known.length === 0 ? [] : [`Name one of these: ${[...new Set(known)].join(', ')}.`]
    return refuse(`qmd has no collection ${collection}.`, [
      ...named,
      `Make it: \`qmd collection add <folder> --name ${collection}\`.`,
    ])
  }
  const there = wanted.filter((name) => probe.collections.includes(name))
  if (there.length === 0) return refuse(`qmd has no collection ${wanted.join(' or ')}.`, [build])
  const missing = wanted.filter((name) => !there.includes(name))
  return ours(qmd, there, missing.length === 0 ? [] : [`qmd has no collection ${missing.join(', ')}: not searched.`])
}

function ours({ configFile }: Qmd, collections: readonly string[], notes: readonly string[] = []): Chosen {
  return { index: 'ours', collections, configFile, notes }
}

function ownConfig({ home, vars }: AgentEnv): string {
  const folder = vars.QMD_CONFIG_DIR || join(vars.XDG_CONFIG_HOME || join(vars.HOME || home, '.config'), 'qmd')
  return join(folder, 'index.yml')
}

/** Where nobody says how many. */
const fallbackCount = 10

interface Fallback {
  readonly agent?: AgentId | undefined
  readonly repo?: string | undefined
  readonly limit?: number | undefined
}

/** The sessions come straight from the agents' files: the catalogue looks at those first. */
export async function guide(
  { catalog }: SearchContext,
  { agent, repo, limit = fallbackCount }: Fallback,
  nextSteps: readonly string[],
): Promise<QmdGuidance> {
  const query = { limit, ...(agent === undefined ? {} : { agent }), ...(repo === undefined ? {} : { repo }) }
  return { nextSteps, fallbackSessions: await catalog.listSessions(query) }
}
