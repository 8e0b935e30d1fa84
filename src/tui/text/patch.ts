// A patch of git's as lines with their numbers, and as pairs that stand side by side. How long a hunk is says its head: a removed
// line may itself begin with `--`.

export interface PatchLine {
  readonly kind: 'same' | 'removed' | 'added'
  /** Number of the line in the file before and after; `null` on the side that does not have it. */
  readonly before: number | null
  readonly after: number | null
  readonly text: string
}

export type PatchPart =
  | { readonly kind: 'file'; readonly path: string }
  /** New, deleted, renamed, binary, another mode. */
  | { readonly kind: 'note'; readonly text: string }
  | { readonly kind: 'hunk'; readonly text: string }
  | { readonly kind: 'lines'; readonly lines: readonly PatchLine[] }

export interface Pair {
  readonly left: PatchLine | null
  readonly right: PatchLine | null
}

const hunkHead = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/
const unsaid = /^(?:index |--- |\+\+\+ |similarity |dissimilarity )/

export function parsePatch(patch: string): PatchPart[] {
  const lines = patch.split('\n')
  if (lines.at(-1) === '') lines.pop()
  const parts: PatchPart[] = []
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? ''
    const hunk = hunkHead.exec(line)
    at += 1
    if (hunk !== null) {
      parts.push({ kind: 'hunk', text: line })
      const read = readHunk(lines, at, hunk)
      parts.push({ kind: 'lines', lines: read.lines })
      at = read.next
    } else if (line.startsWith('diff --git ')) parts.push({ kind: 'file', path: pathOf(lines, at - 1) })
    else if (!unsaid.test(line)) parts.push({ kind: 'note', text: line })
  }
  return parts
}

function readHunk(lines: readonly string[], from: number, head: RegExpExecArray): { lines: PatchLine[]; next: number } {
  let [before, after] = [Number(head[1]), Number(head[3])]
  let [leftRemoved, leftAdded] = [Number(head[2] ?? 1), Number(head[4] ?? 1)]
  const read: PatchLine[] = []
  let at = from
  for (; at < lines.length; at += 1) {
    const line = lines[at] ?? ''
    // `\ No newline at end of file` belongs to the line before it.
    if (line.startsWith('\\')) continue
    if (leftRemoved <= 0 && leftAdded <= 0) break
    const text = line.slice(1)
    if (line.startsWith('-')) read.push({ kind: 'removed', before: before++, after: null, text })
    else if (line.startsWith('+')) read.push({ kind: 'added', before: null, after: after++, text })
    else read.push({ kind: 'same', before: before++, after: after++, text })
    if (!line.startsWith('+')) leftRemoved -= 1
    if (!line.startsWith('-')) leftAdded -= 1
  }
  return { lines: read, next: at }
}

/** From `+++` or `---`, the one that is no /dev/null; of what has neither (renamed, binary), from the head. */
function pathOf(lines: readonly string[], at: number): string {
  for (let next = at + 1; next < lines.length && !/^(?:@@ |diff --git )/.test(lines[next] ?? ''); next += 1) {
    const renamed = /^rename to (.*)$/.exec(lines[next] ?? '')
    if (renamed !== null) return unquote(renamed[1] ?? '')
    const [before, after] = [/^--- (.*)$/.exec(lines[next] ?? ''), /^\+\+\+ (.*)$/.exec(lines[next + 1] ?? '')]
    if (before !== null && after !== null) {
      const name = after[1] === '/dev/null' ? before[1] : after[1]
      return unquote(name ?? '').replace(/^[ab]\//, '')
    }
  }
  const head = (lines[at] ?? '').slice('diff --git '.length)
  return unquote(head.slice(Math.ceil(head.length / 2))).replace(/^b\//, '')
}

/** Git puts names with special characters in quotes, and a tab behind one with blanks. */
function unquote(name: string): string {
  return name.replace(/\t$/, '').replace(/^"(.*)"$/, '$1')
}

/** What was removed stands beside what came in its place. */
export function pairUp(lines: readonly PatchLine[]): Pair[] {
  const pairs: Pair[] = []
  let [removed, added]: [PatchLine[], PatchLine[]] = [[], []]
  const flush = () => {
    for (let at = 0; at < Math.max(removed.length, added.length); at += 1)
      pairs.push({ left: removed[at] ?? null, right: added[at] ?? null })
    ;[removed, added] = [[], []]
  }
  for (const line of lines) {
    if (line.kind === 'removed') {
      if (added.length > 0) flush()
      removed.push(line)
    } else if (line.kind === 'added') added.push(line)
    else {
      flush()
      pairs.push({ left: line, right: line })
    }
  }
  flush()
  return pairs
}
