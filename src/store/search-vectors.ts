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
  const put = db.prepare<[number, number, Uint8Array]>(
    'INSERT OR REPLACE INTO search_vectors (model, chunk_key, vector) VALUES (?, ?, ?)',
  )
  const get = db.prepare<[number, number], Buffer>('SELECT vector FROM search_vectors WHERE model = ? AND chunk_key = ?').pluck()
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
    put(model: VectorModel, vectors: Vectors, generation: number): void {
      const { keys, bytes, codes } = vectors
      const codeBytes = codeBytesOf(model.dims)
      const vectorBytes = vectorBytesOf(model.dims)
      let block = -1
      let blockCodes = Buffer.alloc(0)
      const close = () => {
        if (block >= 0) putCodes.run(model.key, block, blockCodes, generation)
      }
      for (const [at, key] of keys.entries()) {
        put.run(model.key, key, bytes.subarray(at * vectorBytes, (at + 1) * vectorBytes))
        if (Math.floor(key / blockSize) !== block) {
          close()
          block = Math.floor(key / blockSize)
          blockCodes = Buffer.from(getCodes.get(model.key, block)?.codes ?? Buffer.alloc(blockSize * codeBytes))
        }
        blockCodes.set(codes.subarray(at * codeBytes, (at + 1) * codeBytes), (key % blockSize) * codeBytes)
      }
      close()
    },
    get: (model: VectorModel, chunkKey: number): Buffer | null => get.get(model.key, chunkKey) ?? null,
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
export function vectorBytesOf(dims: number): number {
  return 4 + dims
}

/** Vectors as they are stored, of chunks in the order of their keys. */
export interface Vectors {
  readonly keys: readonly number[]
  readonly bytes: Uint8Array
  readonly codes: Uint8Array
}

/** Writes one vector as the `at`th of many. */
export function encodeVector(vector: Float32Array, { bytes, codes }: Pick<Vectors, 'bytes' | 'codes'>, at: number): void {
  const dims = vector.length
  const from = at * vectorBytesOf(dims)
  let largest = 0
  for (let dim = 0; dim < dims; dim += 1) largest = Math.max(largest, Math.abs(vector[dim] as number))
  if (largest === 0) return
  scale[0] = largest / 127
  bytes.set(scaleBytes, from)
  // Negative ones as two's complement, which is what the byte's int8 is.
  for (let dim = 0; dim < dims; dim += 1) bytes[from + 4 + dim] = Math.round(((vector[dim] as number) * 127) / largest)
  const code = at * codeBytesOf(dims)
  for (let dim = 0; dim < dims; dim += 8) {
    let byte = 0
    for (let bit = 0; bit < 8; bit += 1) if ((vector[dim + bit] ?? 0) > 0) byte |= 1 << bit
    codes[code + dim / 8] = byte
  }
}

export function encodeVectors(keys: readonly number[], vectors: readonly Float32Array[], dims: number): Vectors {
  const bytes = new Uint8Array(keys.length * vectorBytesOf(dims))
  const codes = new Uint8Array(keys.length * codeBytesOf(dims))
  for (const [at, vector] of vectors.entries()) encodeVector(vector, { bytes, codes }, at)
  return { keys, bytes, codes }
}

const scale = new Float32Array(1)
const scaleBytes = new Uint8Array(scale.buffer)
