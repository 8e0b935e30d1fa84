// "Find the past session that did this": our engine beside BM25 and the plain fusion of the model's card, on the same sessions in
// the same run. Nothing in the engine is tuned to these queries.
import { createBaselines, type System } from './retrieval/baselines.ts'
import { readRetrievalData } from './retrieval/data.ts'
import { createEngine } from './retrieval/engine.ts'
import { bootstrap, mean, type Ranks, recall, reciprocal } from './retrieval/measures.ts'
import { createQmdSystems } from './retrieval/qmd.ts'

const measures = { 'R@1': recall(1), 'R@5': recall(5), 'R@10': recall(10), MRR: reciprocal } as const

export async function run(): Promise<void> {
  const data = readRetrievalData()
  if (data === null) {
    console.log('\nretrieval: the data is not here; set OFFSHOOT_BENCH_RETRIEVAL to its folder')
    return
  }
  const engine = await createEngine(data.sessions)
  try {
    const systems: Record<string, System> = {
      offshoot: engine.whole,
      'offshoot, without vectors': engine.withoutVectors,
      'offshoot, common words in full': engine.withoutCutoff,
      'offshoot, cut as in 250,000 chunks': engine.asInLarge,
      ...(await createBaselines(data.sessions)),
      ...(await createQmdSystems(data.sessions, data.queries)),
    }
    const ranks: Record<string, Ranks> = {}
    for (const [name, system] of Object.entries(systems)) {
      const found: number[] = []
      for (const { query, relevant } of data.queries)
        found.push((await system(query)).findIndex((id) => relevant.includes(id)) + 1)
      ranks[name] = found
    }
    print(ranks, data.sessions.length)
  } finally {
    engine.close()
  }
}

function print(ranks: Readonly<Record<string, Ranks>>, sessions: number): void {
  const ours = ranks.offshoot ?? []
  console.log(
    `\nretrieval: ${sessions} sessions, ${ours.length} queries; behind it what 95 % of paired bootstraps give offshoot more (+) or less (-)`,
  )
  const width = Math.max(...Object.keys(ranks).map(({ length }) => length))
  for (const [name, theirs] of Object.entries(ranks)) {
    const figures = Object.values(measures).map((measure) => mean(theirs, measure).toFixed(3).slice(1))
    const intervals = Object.entries(measures)
      .filter(([label]) => label !== 'R@10')
      .map(([label, measure]) => `${label} ${bootstrap(ours, theirs, measure).map(signed).join('..')}`)
    console.log(`  ${name.padEnd(width)}  ${figures.join(' / ')}  ${theirs === ours ? '' : intervals.join('  ')}`.trimEnd())
  }
}

function signed(value: number): string {
  return `${value < 0 ? '-' : '+'}${Math.abs(value).toFixed(3).slice(1)}`
}
