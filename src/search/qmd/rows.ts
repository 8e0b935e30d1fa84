// qmd's JSON as rows. Anything it prints beside the array (a warning of a library) is passed over; what holds no array is a
// fault, never an empty answer.

export interface QmdRow {
  readonly collection: string
  /** Below the collection's folder. */
  readonly path: string
  readonly score: number
  readonly snippet: string
  /** With `--full`. */
  readonly body: string | null
}

/** With `--index` the index is named at the end. */
const documentUrl = /^qmd:\/\/+([^/]+)\/(.+?)(?:\?index=[^/?]*)?$/

/** `null`: this is no answer. */
export function readRows(stdout: string): QmdRow[] | null {
  const values = parseArray(stdout)
  return values === null ? null : values.flatMap(readRow)
}

function parseArray(text: string): unknown[] | null {
  const from = text.search(/^\[/m)
  if (from === -1) return null
  try {
    const value: unknown = JSON.parse(text.slice(from, text.lastIndexOf(']') + 1))
    return Array.isArray(value) ? value : null
  } catch {
    return null // cut off, or something else altogether: both are told as "no JSON"
  }
}

function readRow(value: unknown): QmdRow[] {
  if (typeof value !== 'object' || value === null) return []
  const { file, score, snippet, body } = value as Readonly<Record<string, unknown>>
  const [, collection, path] = (typeof file === 'string' && documentUrl.exec(file)) || []
  if (collection === undefined || path === undefined) return []
  return [
    {
      collection,
      path,
      score: typeof score === 'number' && Number.isFinite(score) ? Math.min(1, Math.max(0, score)) : 0,
      snippet: typeof snippet === 'string' ? plainSnippet(snippet) : '',
      body: typeof body === 'string' ? body : null,
    },
  ]
}

/** Without `@@ -4,3 @@ (3 before, 0 after)`. */
function plainSnippet(snippet: string): string {
  return snippet
    .replaceAll(/^@@ .*$/gm, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
}
