// qmd as a peer: the same texts, indexed by `qmd collection add` and searched by `qmd search`, on an index of its own. Words
// alone: its models (2 GB) are not at hand, and on a CPU they take far longer.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
// @ts-expect-error a plain script without types
import { ensureQmd, findQmdNode } from '../scripts/test-setup.mjs'
import { type Command, runProcess, subject } from './measure.ts'

export interface QmdPeer {
  readonly files: number
  readonly bytes: number
  /** The whole of `qmd collection add`: one process. */
  readonly addMs: number
  /** `qmd update` when nothing has changed. */
  update(): Promise<number>
  /** One whole process of `qmd search`, as a person or a program runs it: for `compare`. */
  searchCommand(query: string): Command
  /** Ids, best first, and how long the process took. */
  search(query: string): Promise<{ readonly ids: readonly string[]; readonly ms: number }>
  /**
   * What it finds for many queries, by its own library in one process: `search` as its command does (all words), `lex` as
   * offshoot's qmd engine asks it (any word). The same ranking as a process for each, which would take half a second each.
   */
  rank(queries: readonly string[], how: 'search' | 'lex'): Promise<readonly (readonly string[])[]>
  close(): void
}

export interface PeerText {
  /** Letters, digits and dashes. */
  readonly id: string
  readonly text: string
}

const installed = fileURLToPath(new URL('../test/real/qmd-agent', import.meta.url))
const collection = 'bench'

export async function createQmdPeer(texts: Iterable<PeerText> | AsyncIterable<PeerText>): Promise<QmdPeer> {
  await ensureQmd(installed)
  const root = mkdtempSync(join(tmpdir(), 'offshoot-bench-qmd-'))
  const documents = join(root, 'documents')
  mkdirSync(documents)
  let files = 0
  let bytes = 0
  for await (const { id, text } of texts) {
    writeFileSync(join(documents, `${id}.md`), text)
    files += 1
    bytes += Buffer.byteLength(text)
  }
  const node = String(findQmdNode(installed))
  const index = join(root, 'index.sqlite')
  const command = (...args: string[]): Command => ({
    argv: [node, join(installed, 'node_modules', '@tobilu', 'qmd', 'bin', 'qmd'), ...args],
    cwd: root,
    env: { INDEX_PATH: index, QMD_CONFIG_DIR: root, HOME: root, PWD: root, NO_COLOR: '1' },
  })
  const added = await runProcess({
    ...command('collection', 'add', documents, '--name', collection),
    check: (stdout) => {
      if (!stdout.includes(`Indexed: ${files} new`)) throw new Error(`qmd has not indexed all ${files} files: ${stdout}`)
    },
  })
  const searchCommand = (query: string) => command('search', query.replace(/^-+/, ''), '-c', collection, '--json', '-n', '10')

  return {
    files,
    bytes,
    addMs: added.ms,
    update: async () => (await runProcess(command('update'))).ms,
    searchCommand,
    async search(query) {
      const { stdout, ms } = await runProcess(searchCommand(query))
      const rows = JSON.parse(stdout) as readonly { readonly file: string }[]
      return { ids: rows.map(({ file }) => idOf(file)), ms }
    },
    async rank(queries, how) {
      const file = join(root, 'queries.json')
      const { wordsOf } = await import('../src/search/qmd/rewrite.ts')
      writeFileSync(file, JSON.stringify(how === 'search' ? queries : queries.map(wordsOf)))
      const library = join(installed, 'node_modules', '@tobilu', 'qmd', 'dist', 'index.js')
      const out = join(root, 'ranks.json')
      const args = [library, index, collection, file, out]
      await runProcess({ argv: [node, subject('qmd'), ...args], cwd: root, env: { HOME: root, QMD_CONFIG_DIR: root } })
      return (JSON.parse(readFileSync(out, 'utf8')) as string[][]).map((found) => found.map(idOf))
    },
    close: () => rmSync(root, { recursive: true, force: true }),
  }
}

function idOf(file: string): string {
  return file.slice(file.lastIndexOf('/') + 1).replace(/\.md$/, '')
}
