// The static model for a query: a handful of words, of which only the rows are read. To load the whole model takes a process
// longer than to answer.
import { closeSync, openSync, readFileSync, readSync } from 'node:fs'
import { splitWords } from '../text/words.ts'
import type { Embedder } from './embedder.ts'
import { addRow, cutWord, modelFolder, readModelHeader, toUnitLength } from './model-parts.ts'

/** Gives the very vectors of `loadStaticModel`. */
export function createQueryModel(): Embedder {
  const { id, dims, vocabSize, maxTokens } = readModelHeader()
  let vocabulary: ReturnType<typeof readVocabulary> | undefined
  /** Rows with their scale, by token. */
  const rows = new Map<number, { readonly scale: number; readonly row: Int8Array }>()

  function find(piece: string, isTail: boolean): number | undefined {
    vocabulary ??= readVocabulary(vocabSize)
    return vocabulary(isTail ? `##${piece}` : piece)
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

/** The lines of vocab.txt by their hash: no string is made of any of them. */
function readVocabulary(vocabSize: number): (piece: string) => number | undefined {
  const bytes = readFileSync(new URL('vocab.txt', modelFolder))
  const slots = new Int32Array(1 << 16)
  const starts = new Int32Array(vocabSize + 1)
  let hash = firstHash
  let line = 0
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] as number
    if (byte !== newline) {
      hash = Math.imul(hash ^ byte, 0x01000193)
      continue
    }
    let slot = slotOf(hash)
    while (slots[slot] !== 0) slot = (slot + 1) & 0xffff
    line += 1
    slots[slot] = line
    starts[line] = at + 1
    hash = firstHash
  }
  return (piece) => {
    const wanted = Buffer.from(piece)
    let sought = firstHash
    for (const byte of wanted) sought = Math.imul(sought ^ byte, 0x01000193)
    for (let slot = slotOf(sought); slots[slot] !== 0; slot = (slot + 1) & 0xffff) {
      const found = slots[slot] as number
      const from = starts[found - 1] as number
      if (wanted.equals(bytes.subarray(from, (starts[found] as number) - 1))) return found - 1
    }
    return undefined
  }
}

const newline = 10
const firstHash = 0x811c9dc5 | 0

function slotOf(hash: number): number {
  return (hash ^ (hash >>> 16)) & 0xffff
}
