// The static model for a query: a handful of words, of which only the rows are read. To load the whole model takes a process
// longer than to answer.
import { closeSync, openSync, readFileSync, readSync } from 'node:fs'
import { splitWords } from '../text/words.ts'
import type { Embedder } from './embedder.ts'
import { addRow, cutWord, modelFolder, readModelHeader, toUnitLength } from './model-parts.ts'

const newline = 10

/** Gives the very vectors of `loadStaticModel`. */
export function createQueryModel(): Embedder {
  const { id, dims, vocabSize, maxTokens } = readModelHeader()
  let vocab: Buffer | undefined
  /** Rows with their scale in them, by token. */
  const rows = new Map<number, { readonly scale: number; readonly row: Int8Array }>()

  /** Where it stands is a matter of counting lines. */
  function find(piece: string, isTail: boolean): number | undefined {
    vocab ??= Buffer.concat([Buffer.from('\n'), readFileSync(new URL('vocab.txt', modelFolder))])
    const place = vocab.indexOf(`\n${isTail ? '##' : ''}${piece}\n`)
    if (place === -1) return undefined
    let line = 0
    for (let at = 0; at < place; at += 1) if (vocab[at] === newline) line += 1
    return line
  }

  function readRows(tokens: ReadonlySet<number>): void {
    const missing = [...tokens].filter((token) => !rows.has(token))
    if (missing.length === 0) return
    const file = openSync(new URL('model.bin', modelFolder), 'r')
    try {
      for (const token of missing) {
        const bytes = Buffer.alloc(4 + dims)
        readSync(file, bytes, 0, 4, token * 4)
        readSync(file, bytes, 4, dims, vocabSize * 4 + token * dims)
        rows.set(token, { scale: bytes.readFloatLE(0), row: new Int8Array(bytes.buffer, bytes.byteOffset + 4, dims) })
      }
    } finally {
      closeSync(file)
    }
  }

  function embedText(text: string): Float32Array {
    const tokens = splitWords(text)
      .flatMap((word) => cutWord(word, find))
      .slice(0, maxTokens)
    const counts = new Map<number, number>()
    for (const token of tokens) counts.set(token, (counts.get(token) ?? 0) + 1)
    readRows(new Set(tokens))
    const vector = new Float32Array(dims)
    for (const [token, count] of counts) {
      const known = rows.get(token)
      if (known !== undefined) addRow(vector, known.row, 0, count * known.scale)
    }
    return toUnitLength(vector)
  }

  return { id, embed: async (texts) => texts.map(embedText) }
}
