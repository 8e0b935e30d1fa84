// Which model embeds a query: the endpoint the person has set, once its vectors cover the index and as long as it answers; the
// static model otherwise. Vectors of two models are never mixed.
import { errorMessage } from '../../lib/error-message.ts'
import type { VectorModel } from '../../store/search-vectors.ts'
import type { Store } from '../../store/store.ts'
import type { Embedder } from './embedder.ts'
import { createQueryModel } from './query-model.ts'

export interface EmbeddedQuery {
  readonly vector: { readonly model: VectorModel; readonly vector: Float32Array } | null
  readonly notes: readonly string[]
}

export interface QueryEmbedder {
  embedQuery(words: string): Promise<EmbeddedQuery>
}

/** Chunks that came in since the last embedding pass may lack theirs. */
const enough = 0.95

export function createQueryEmbedder(store: () => Store, endpoint: () => Promise<Embedder | null>): QueryEmbedder {
  const builtin = createQueryModel()
  return {
    async embedQuery(words) {
      const notes: string[] = []
      try {
        const other = await endpoint()
        const reason = other === null ? null : whyNot(store(), other)
        if (reason !== null) notes.push(reason)
        else if (other !== null) return { vector: await embedBy(store(), other, words), notes: [] }
      } catch (error) {
        notes.push(`${errorMessage(error)} The built-in model was used instead.`)
      }
      return { vector: await embedBy(store(), builtin, words), notes }
    },
  }
}

function whyNot(store: Store, embedder: Embedder): string | null {
  const model = store.search.vectors.findModel(embedder.id)
  const { chunks } = store.search.index.totals()
  const done = model === null ? 0 : store.search.vectors.count(model, chunks)
  if (chunks === 0 || done >= enough * chunks) return null
  return `${embedder.id} has embedded ${done} of ${chunks} pieces so far; the built-in model was used.`
}

async function embedBy(store: Store, embedder: Embedder, words: string): Promise<EmbeddedQuery['vector']> {
  const model = store.search.vectors.findModel(embedder.id)
  if (model === null) return null
  const [vector] = await embedder.embed([words], { urgent: true })
  // No word the model knows: a vector of zeros is near to nothing.
  return vector === undefined || vector.length !== model.dims || vector.every((value) => value === 0) ? null : { model, vector }
}
