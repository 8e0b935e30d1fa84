// Lines as a person types or pastes them. The terminal edits and echoes a line itself; lines that come at once were pasted and are
// one text, as nobody types as fast.

export interface LineReader {
  push(chunk: string): void
  /** No more will come: what waits is heard. */
  end(): void
  /** What is half typed does not count any more. */
  drop(): void
}

export interface LineReaderOptions {
  readonly onText: (text: string) => void
  /** How long to wait for more of a paste; `null`: each line is heard by itself (a pipe). */
  readonly pasteMs: number | null
}

export function createLineReader({ onText, pasteMs }: LineReaderOptions): LineReader {
  let half = ''
  let lines: string[] = []
  let timer: NodeJS.Timeout | null = null
  const hear = () => {
    timer = null
    const text = lines.join('\n')
    lines = []
    onText(text)
  }
  const take = (line: string) => {
    lines.push(line.endsWith('\\') ? line.slice(0, -1) : line)
    if (timer !== null) clearTimeout(timer)
    timer = null
    if (line.endsWith('\\')) return
    if (pasteMs === null) hear()
    else timer = setTimeout(hear, pasteMs)
  }
  return {
    push(chunk) {
      const [first = '', ...rest] = `${half}${chunk}`.split(/\r\n|\n|\r/)
      half = rest.at(-1) ?? first
      for (const line of rest.length === 0 ? [] : [first, ...rest.slice(0, -1)]) take(line)
    },
    end() {
      if (half !== '') take(half)
      half = ''
      if (timer !== null) clearTimeout(timer)
      if (lines.length > 0) hear()
    },
    drop() {
      half = ''
      lines = []
      if (timer !== null) clearTimeout(timer)
      timer = null
    },
  }
}
