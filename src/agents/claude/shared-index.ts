// Pass 1 of a file, done once for all who read it while someone holds it: a fork reads its source to write the child and again
// to prove it. What is held answers only while the file is as it was, never for other bytes.
import { statSync } from 'node:fs'
import { indexFile, LineIndex } from './line-index.ts'
import { linkRows } from './links.ts'

export interface SharedIndex {
  readonly index: LineIndex
  readonly inode: number
}

export interface IndexWish {
  readonly wantedTool: string | null
  readonly sidechain?: boolean
}

interface Held extends SharedIndex {
  readonly key: string
}

const held = new Set<Held>()

export async function openIndex(path: string, wish: IndexWish): Promise<SharedIndex> {
  const key = keyOf(path, wish)
  for (const each of held) if (each.key === key) return each
  return readIndex(path, wish)
}

/** Does pass 1 now and keeps it until the answer is called. */
export async function holdIndex(path: string, wish: IndexWish): Promise<() => void> {
  const key = keyOf(path, wish)
  const shared = { ...(await readIndex(path, wish)), key }
  if (keyOf(path, wish) === key) held.add(shared)
  return () => void held.delete(shared)
}

async function readIndex(path: string, { wantedTool, sidechain = false }: IndexWish): Promise<SharedIndex> {
  const index = new LineIndex({ wantedTool, sidechain })
  const { inode } = await indexFile(index, path)
  linkRows(index)
  return { index, inode }
}

function keyOf(path: string, { wantedTool, sidechain = false }: IndexWish): string {
  const stat = statSync(path, { throwIfNoEntry: false, bigint: true })
  const state = stat === undefined ? null : [stat.dev, stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs].join(' ')
  return JSON.stringify([path, wantedTool, sidechain, state])
}
