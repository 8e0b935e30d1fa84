// What turns text into vectors, whichever way: the static model that ships with offshoot, or an endpoint the person names.

export interface Embedder {
  /** Model and version, stored with every vector: vectors of another id are never compared with these. */
  readonly id: string
  readonly dims: number
  /** Unit vectors in the order of the texts; all zeros where the text has nothing the model knows. */
  embed(texts: readonly string[], signal?: AbortSignal): Promise<Float32Array[]>
}
