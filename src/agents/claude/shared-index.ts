// Pass 1 of a file, shared by what reads it twice in a row: a fork reads its source to write the child and again to prove it.
// Held weakly and only while the file is as it was, so that it costs no memory and never answers for other bytes.
import { statSync } from 'node:fs'
import { indexFile, LineIndex } from './line-index.ts'
import { linkRows } from './links.ts'

export interface SharedIndex {
  readonly index: LineIndex
  readonly inode: number
}

interface IndexWish {
  readonly wantedTool: string | null
  readonly sidechain?: boolean
}

let last: { readonly key: string; readonly held: WeakRef<SharedIndex> } | undefined

export async function openIndex(path: string, { wantedTool, sidechain = false }: IndexWish): Promise<SharedIndex> {
  const keyNow = () => JSON.stringify([path, wantedTool, sidechain, stateOf(path)])
  const key = keyNow()
  const held = last?.key === key ? last.held.deref() : undefined
  if (held !== undefined) return held
  const index = new LineIndex({ wantedTool, sidechain })
  const { inode } = await indexFile(index, path)
  linkRows(index)
  const shared = { index, inode }
  if (keyNow() === key) last = { key, held: new WeakRef(shared) }
  return shared
}

function stateOf(path: string): string | null {
  const stat = statSync(path, { throwIfNoEntry: false, bigint: true })
  return stat === undefined ? null : [stat.dev, stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs].join(' ')
}
