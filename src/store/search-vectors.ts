// Vectors by model: each as int8 with a scale of its own for the exact pass, and as one bit per dimension in blocks for the
// coarse one. Vectors of different models live side by side and are never compared.
import type { Database } from './open.ts'
import { blockSize } from './search-blocks.ts'

export interface CodeBlock {
  readonly block: number
  readonly codes: Buffer
  readonly generation: number
}

export interface VectorModel {
  readonly key: number
  readonly dims: number
}

export function createSearchVectorTable(db: Database) {
  const addModel = db.prepare<[string, number]>('INSERT OR IGNORE INTO search_models (id, dims) VALUES (?, ?)')
  const findModel = db.prepare<[string], VectorModel>('SELECT key, dims FROM search_models WHERE id = ?')
  const models = db.prepare<[], { key: number; id: string }>('SELECT key, id FROM search_models')
  const removeModel = db.prepare<[number]>('DELETE FROM search_models WHERE key = ?')
  const removeVectors = db.prepare<[number]>('DELETE FROM search_vectors WHERE model = ?')
  const removeCodes = db.prepare<[number]>('DELETE FROM search_codes WHERE model = ?')
  const put = db.prepare<[number, number, Buffer]>(
    'INSERT OR REPLACE INTO search_vectors (model, chunk_key, vector) VALUES (?, ?, ?)',
  )
  const get = db.prepare<[number, number], { vector: Buffer }>(
    'SELECT vector FROM search_vectors WHERE model = ? AND chunk_key = ?',
  )
  const count = db.prepare<[number], { count: number }>('SELECT COUNT(*) AS count FROM search_vectors WHERE model = ?')
  const highest = db.prepare<[], { key: number | null }>('SELECT MAX(key) AS key FROM search_chunks')
  const embeddedTo = db.prepare<[number], { embeddedTo: number }>(
    'SELECT embedded_to AS embeddedTo FROM search_models WHERE key = ?',
  )
  const getCodes = db.prepare<[number, number], { codes: Buffer }>('SELECT codes FROM search_codes WHERE model = ? AND block = ?')
  const putCodes = db.prepare<[number, number, Buffer, number]>(
    'INSERT OR REPLACE INTO search_codes (model, block, codes, generation) VALUES (?, ?, ?, ?)',
  )
  const codes = db.prepare<[number, number], CodeBlock>(
    'SELECT block, codes, generation FROM search_codes WHERE model = ? AND generation > ?',
  )
  const missing = db.prepare<[string, number, string, number], { key: number; prompt: string; body: string; tools: string }>(
    `SELECT c.key, c.prompt, c.body, c.tools FROM search_chunks c
     WHERE c.key > COALESCE((SELECT embedded_to FROM search_models WHERE id = ?), 0) AND c.key < ?
       AND NOT EXISTS (SELECT 1 FROM search_vectors v 
         WHERE v.model = (SELECT key FROM search_models WHERE id = ?) AND v.chunk_key = c.key)
     ORDER BY c.key DESC LIMIT ?`,
  )

  const setEmbeddedTo = db.prepare<[number, string]>('UPDATE search_models SET embedded_to = MAX(embedded_to, ?) WHERE id = ?')

  return {
    model(id: string, dims: number): VectorModel {
      addModel.run(id, dims)
      const row = findModel.get(id)
      if (row === undefined) throw new Error('a model that was just stored is not there')
      return row
    },
    findModel: (id: string): VectorModel | null => findModel.get(id) ?? null,
    models: () => models.all(),
    removeModel(key: number): void {
      removeVectors.run(key)
      removeCodes.run(key)
      removeModel.run(key)
    },
    /** Inside a transaction. Overwrites what a chunk's place in its block held before. */
    put(
      model: VectorModel,
      vectors: readonly { readonly chunkKey: number; readonly vector: Float32Array }[],
      generation: number,
    ) {
      const codeBytes = codeBytesOf(model.dims)
      const blocks = new Map<number, Buffer>()
      for (const { chunkKey, vector } of vectors) {
        put.run(model.key, chunkKey, quantise(vector))
        const block = Math.floor(chunkKey / blockSize)
        const bytes =
          blocks.get(block) ?? Buffer.from(getCodes.get(model.key, block)?.codes ?? Buffer.alloc(blockSize * codeBytes))
        blocks.set(block, bytes)
        encodeSigns(vector, bytes, (chunkKey % blockSize) * codeBytes)
      }
      for (const [block, bytes] of blocks) putCodes.run(model.key, block, bytes, generation)
    },
    get: (model: VectorModel, chunkKey: number): Buffer | null => get.get(model.key, chunkKey)?.vector ?? null,
    /** How many of so many chunks have a vector. Counted only where some may be missing. */
    count(model: VectorModel, chunks: number): number {
      const isWhole = (embeddedTo.get(model.key)?.embeddedTo ?? 0) >= (highest.get()?.key ?? 0)
      return isWhole ? chunks : (count.get(model.key)?.count ?? 0)
    },
    codesSince: (model: VectorModel, generation: number): CodeBlock[] => codes.all(model.key, generation),
    /** Chunks without a vector of this model below a key, highest key first. */
    missing: (modelId: string, below: number, limit: number) => missing.all(modelId, below, modelId, limit),
    highestKey: (): number => highest.get()?.key ?? 0,
    /** Remembers that nothing up to this key is missing, so that no one has to look again. */
    setEmbeddedTo(modelId: string, key: number): void {
      setEmbeddedTo.run(key, modelId)
    },
  }
}

/** One bit per dimension, filled up to whole words of 32: the coarse pass reads them by the word. */
export function codeBytesOf(dims: number): number {
  return Math.ceil(dims / 32) * 4
}

/** A float32 scale, then one int8 per dimension: a quarter of the size, and a cosine that is off by less than 0.01. */
function quantise(vector: Float32Array): Buffer {
  let largest = 0
  for (const value of vector) largest = Math.max(largest, Math.abs(value))
  const bytes = Buffer.alloc(4 + vector.length)
  if (largest === 0) return bytes
  bytes.writeFloatLE(largest / 127, 0)
  for (let at = 0; at < vector.length; at += 1) bytes.writeInt8(Math.round(((vector[at] as number) * 127) / largest), 4 + at)
  return bytes
}

/** A bit is set where the dimension is positive. A vector of zeros stays all zeros, like a chunk without a vector. */
function encodeSigns(vector: Float32Array, into: Buffer, from: number): void {
  for (let at = 0; at < vector.length; at += 8) {
    let byte = 0
    for (let bit = 0; bit < 8; bit += 1) if ((vector[at + bit] ?? 0) > 0) byte |= 1 << bit
    into[from + at / 8] = byte
  }
}
