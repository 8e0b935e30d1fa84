// Asks qmd's own library many questions in one process, on the Node it needs: `qmd.mjs <library> <index> <collection> <queries
// file> <answers file>`. A query that is a list is asked word by word, as `lex:` lines are, all words together first.
import { readFileSync, writeFileSync } from 'node:fs'

const [library, dbPath, collection, file, out] = process.argv.slice(2)
const { createStore } = await import(library)
const store = await createStore({ dbPath })
const found = []
for (const query of JSON.parse(readFileSync(file, 'utf8'))) {
  if (query.length === 0) found.push([])
  else if (typeof query === 'string') {
    const rows = await store.searchLex(query, { limit: 20, collection })
    found.push(rows.map(({ filepath }) => filepath))
  } else {
    const lines = query.length > 1 ? [query.join(' '), ...query] : query
    const queries = lines.map((words) => ({ type: 'lex', query: words }))
    const rows = await store.search({ queries, rerank: false, limit: 20, candidateLimit: 20, collections: [collection] })
    found.push(rows.map(({ file: path }) => path))
  }
}
await store.close()
writeFileSync(out, JSON.stringify(found))
