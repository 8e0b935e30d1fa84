// The measuring data: real sessions of one public project and queries from its commits. Read from outside the project; nothing
// of it is kept here.
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'

export interface BenchSession {
  readonly session_id: string
  readonly messages: readonly { readonly role: 'user' | 'assistant' | 'tool'; readonly text: string }[]
}

export interface BenchQuery {
  readonly query: string
  readonly relevant: readonly string[]
}

const folder = process.env.OFFSHOOT_BENCH_RETRIEVAL ?? fileURLToPath(new URL('../../../shared/bench/retrieval', import.meta.url))

/** `null` where the data is not at hand. */
export function readRetrievalData(): { sessions: BenchSession[]; queries: BenchQuery[]; folder: string } | null {
  if (!existsSync(`${folder}/sessions.jsonl.gz`)) return null
  const lines = <T>(text: string) =>
    text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as T)
  return {
    sessions: lines<BenchSession>(gunzipSync(readFileSync(`${folder}/sessions.jsonl.gz`)).toString()),
    queries: lines<BenchQuery>(readFileSync(`${folder}/queries.jsonl`, 'utf8')),
    folder,
  }
}
