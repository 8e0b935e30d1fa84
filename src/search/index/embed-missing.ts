// Gives every chunk a vector of a model it lacks one of: after a change of model, and for the endpoint a person has set. Batch by
// batch, newest first, each batch stored before the next is asked for: what was paid for is kept.
import { errorMessage } from '../../lib/error-message.ts'
import { encodeVectors } from '../../store/search-vectors.ts'
import type { Store } from '../../store/store.ts'
import type { Embedder } from '../embed/embedder.ts'
import { textToEmbed } from './prepare.ts'

const batchChunks = 256

export interface EmbedReport {
  readonly embedded: number
  readonly problem: string | null
}

export async function embedMissing(store: Store, embedder: Embedder, signal?: AbortSignal): Promise<EmbedReport> {
  const { vectors, index, lookup } = store.search
  const highest = vectors.highestKey()
  let embedded = 0
  let below = Number.MAX_SAFE_INTEGER
  for (;;) {
    const chunks = vectors.missing(embedder.id, below, batchChunks)
    const last = chunks.at(-1)
    if (signal?.aborted) return { embedded, problem: null }
    if (last === undefined) {
      vectors.setEmbeddedTo(embedder.id, highest)
      return { embedded, problem: null }
    }
    below = last.key
    let made: Float32Array[]
    try {
      made = await embedder.embed(chunks.map(textToEmbed), signal === undefined ? {} : { signal })
    } catch (error) {
      return { embedded, problem: signal?.aborted ? null : errorMessage(error) }
    }
    const rows = chunks.map(({ key }, at) => ({ chunkKey: key, vector: made[at] ?? new Float32Array(0) }))
    const dims = rows[0]?.vector.length ?? 0
    const known = vectors.findModel(embedder.id)
    if (known !== null && known.dims !== dims) {
      // Another model answers under the old name: what there is of the old one is worthless.
      store.write(() => vectors.removeModel(known.key))
      below = Number.MAX_SAFE_INTEGER
      continue
    }
    store.write(() => {
      index.begin()
      // A chunk may have gone while its vector was being made.
      const present = rows.filter(({ chunkKey }) => lookup.chunk(chunkKey) !== null)
      const keys = present.map(({ chunkKey }) => chunkKey)
      const encoded = encodeVectors(
        keys,
        present.map(({ vector }) => vector),
        dims,
      )
      vectors.put(vectors.model(embedder.id, dims), encoded, index.generation())
    })
    embedded += chunks.length
  }
}

/** Vectors of models that are in use no more. */
export function dropOtherModels(store: Store, used: readonly string[]): void {
  const { vectors } = store.search
  const unused = vectors.models().filter(({ id }) => !used.includes(id))
  if (unused.length === 0) return
  store.write(() => {
    for (const { key } of unused) vectors.removeModel(key)
  })
}
