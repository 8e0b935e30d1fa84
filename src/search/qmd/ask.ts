// One question to qmd: the best command its models allow, and the next one when that fails. What stood in the way of a better
// one is told.
import type { Models } from './models.ts'
import type { Qmd, QmdIndex } from './program.ts'
import { faultOf } from './program.ts'
import { toLexQuery, wordsOf } from './rewrite.ts'
import { type QmdRow, readRows } from './rows.ts'

export interface Question {
  readonly words: string
  readonly collections: readonly string[]
  readonly index: QmdIndex
  readonly models: Models
  readonly count: number
  /** Whole documents: where only the text tells which session it is of. */
  readonly full: boolean
  readonly signal?: AbortSignal | undefined
}

export type QmdMode = 'query' | 'vsearch' | 'search'

export interface Outcome {
  /** `search` is words alone, however qmd was asked. `null`: nothing gave an answer. */
  readonly mode: QmdMode | null
  readonly rows: readonly QmdRow[]
  readonly error: string | null
}

interface Attempt {
  readonly mode: QmdMode
  readonly args: readonly string[]
  readonly timeoutMs: number
}

export async function askQmd(qmd: Qmd, question: Question): Promise<Outcome> {
  const faults = missingModels(question.models)
  if (wordsOf(question.words).length === 0) return { mode: 'search', rows: [], error: null } // nothing but punctuation
  for (const { mode, args, timeoutMs } of attemptsFor(question)) {
    const result = await qmd.run([...args, ...optionsOf(question)], { timeoutMs, index: question.index, signal: question.signal })
    const rows = result.exitCode === 0 ? readRows(result.stdout) : null
    if (rows !== null) return { mode, rows, error: faults.length === 0 ? null : faults.join('; ') }
    const fault = result.exitCode === 0 ? 'qmd gave something that is not its JSON' : faultOf(result, timeoutMs)
    faults.push(`${args[0]}: ${fault}`)
    if (question.signal?.aborted === true) break
  }
  return { mode: null, rows: [], error: faults.join('; ') }
}

function attemptsFor({ words, models }: Question): Attempt[] {
  const lexical = wordsOf(words)
  const plain = words.replaceAll(/\s+/g, ' ').trim()
  const attempts: Attempt[] = []
  // Expansion runs a model of 1.7 billion parameters, often on a CPU; reranking took 60 to 180 s there, so it is never asked for.
  if (models.embed && models.generate) {
    attempts.push({ mode: 'query', args: ['query', withoutDashes(plain), '--no-rerank'], timeoutMs: 30_000 })
    attempts.push({ mode: 'vsearch', args: ['vsearch', withoutDashes(plain)], timeoutMs: 20_000 })
  } else if (models.embed) {
    attempts.push({ mode: 'query', args: ['query', toLexQuery(lexical, plain), '--no-rerank'], timeoutMs: 20_000 })
  }
  attempts.push({ mode: 'search', args: ['query', toLexQuery(lexical), '--no-rerank'], timeoutMs: 15_000 })
  attempts.push({ mode: 'search', args: ['search', withoutDashes(lexical.join(' '))], timeoutMs: 15_000 })
  return attempts
}

/** A query is an argument: it must not turn into an option. */
function withoutDashes(text: string): string {
  return text.replace(/^-+/, '')
}

function optionsOf({ collections, count, full }: Question): string[] {
  const chosen = collections.flatMap((name) => ['-c', name])
  return [...chosen, '--json', '-n', String(count), '-C', String(count), ...(full ? ['--full'] : [])]
}

function missingModels({ embed, generate }: Models): string[] {
  if (embed && generate) return []
  const missing = [...(embed ? [] : ['embedding']), ...(generate ? [] : ['query expansion'])].join(' and ')
  return [`query: the model for ${missing} is not on this machine (\`qmd pull\` downloads it)`]
}
