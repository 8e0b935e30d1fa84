// The static model of models/static-256: word pieces looked up, their int8 rows added up, the sum brought to unit length.
// No native code, no download, about 20,000 texts a second.
import { readFile } from 'node:fs/promises'
import { splitWords } from '../text/words.ts'
import type { Embedder } from './embedder.ts'
import { addRow, cutWord, type ModelHeader, modelFolder, readModelHeader, toUnitLength } from './model-parts.ts'

export interface StaticModel extends Embedder {
  readonly dims: number
  /** Of a text only the first so many count. */
  readonly maxTokens: number
  /** None for what carries no meaning. */
  tokensOf(word: string): readonly number[]
  /** The vector is overwritten by the next call. */
  embedTokens(tokens: Int32Array, count: number): Float32Array
}

const maxCached = 50_000

let loading: Promise<StaticModel> | undefined

/** Read once per process, when the first text is to be embedded (14 ms). */
export function loadStaticModel(): Promise<StaticModel> {
  loading ??= readModel().catch((error: unknown) => {
    loading = undefined
    throw error
  })
  return loading
}

async function readModel(): Promise<StaticModel> {
  const [vocab, data] = await Promise.all([
    readFile(new URL('vocab.txt', modelFolder), 'utf8'),
    readFile(new URL('model.bin', modelFolder)),
  ])
  return createStaticModel(readModelHeader(), vocab.trimEnd().split('\n'), data)
}

function createStaticModel(header: ModelHeader, vocab: readonly string[], data: Uint8Array): StaticModel {
  const { id, dims, vocabSize, maxTokens } = header
  const scaleBytes = vocabSize * 4
  if (vocab.length !== vocabSize) throw new Error(`vocab.txt has ${vocab.length} rows, model.json says ${vocabSize}`)
  if (data.byteLength !== scaleBytes + vocabSize * dims) throw new Error('model.bin has the wrong size')
  const scales = new Float32Array(data.slice(0, scaleBytes).buffer)
  const rows = new Int8Array(data.buffer, data.byteOffset + scaleBytes, vocabSize * dims)
  const tokensOf = createTokens(vocab)

  // A token that comes again is added once, times its count: half the work, and off by less than a millionth.
  const counts = new Uint16Array(vocabSize)
  const seen = new Int32Array(maxTokens)
  const vector = new Float32Array(dims)

  function embedTokens(tokens: Int32Array, count: number): Float32Array {
    let different = 0
    for (let at = 0; at < count; at += 1) {
      const token = tokens[at] as number
      if (counts[token] === 0) {
        seen[different] = token
        different += 1
      }
      ;(counts[token] as number) += 1
    }
    vector.fill(0)
    for (let at = 0; at < different; at += 1) {
      const token = seen[at] as number
      addRow(vector, rows, token * dims, (counts[token] as number) * (scales[token] as number))
      counts[token] = 0
    }
    return toUnitLength(vector)
  }

  function embedText(text: string): Float32Array {
    const tokens = splitWords(text).flatMap(tokensOf).slice(0, maxTokens)
    return embedTokens(Int32Array.from(tokens), tokens.length).slice()
  }

  return { id, dims, maxTokens, tokensOf, embedTokens, embed: async (texts) => texts.map(embedText) }
}

function createTokens(vocab: readonly string[]): (word: string) => readonly number[] {
  const heads = new Map<string, number>()
  const tails = new Map<string, number>()
  for (const [index, piece] of vocab.entries()) {
    const isTail = piece.startsWith('##') && piece.length > 2
    if (isTail) tails.set(piece.slice(2), index)
    else heads.set(piece, index)
  }
  const find = (piece: string, isTail: boolean) => (isTail ? tails : heads).get(piece)
  const cache = new Map<string, readonly number[]>()
  return (word) => {
    const known = cache.get(word)
    if (known !== undefined) return known
    const tokens = cutWord(word, find)
    if (cache.size > maxCached) cache.clear()
    cache.set(word, tokens)
    return tokens
  }
}
