// What turns text into vectors, whichever way: the static model that ships with offshoot, or an endpoint the person names.

export interface EmbedOptions {
  readonly signal?: AbortSignal
  /** Someone is waiting for the answer: better none than a late one. */
  readonly urgent?: boolean
}

export interface Embedder {
  /** Model and version, stored with every vector: vectors of another id are never compared with these. */
  readonly id: string
  /** Unit vectors in the order of the texts; all zeros where the text has nothing the model knows. */
  embed(texts: readonly string[], options?: EmbedOptions): Promise<Float32Array[]>
}
