// The last turn of a session as the whole file has it: for the hook, where the newest lines alone do not tell.
import { liveChain } from './leaf.ts'
import { indexFile, LineIndex } from './line-index.ts'
import { linkRows } from './links.ts'

export async function findLastTurn(path: string): Promise<string | null> {
  const index = new LineIndex()
  await indexFile(index, path)
  linkRows(index)
  const prompt = liveChain(index).findLast((at) => index.rows.kind(at) === 'prompt')
  return prompt === undefined ? null : index.rows.uuid(prompt)
}
