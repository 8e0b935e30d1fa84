// Pass 1 over a child beside its parent: a line whose bytes are those of a line of the parent, but for the session id, its origin
// and what it hangs on, says what that one says and is not parsed again. All others are read as in any file.
import type { Line } from '../../lib/jsonl.ts'
import { ChildLines, parentUuidOf } from './child-lines.ts'
import { indexFile, type KnownGroup, LineIndex } from './line-index.ts'
import { placeOf } from './line-row.ts'
import { linkRows } from './links.ts'
import type { OpenSession } from './read.ts'
import { noRow } from './row.ts'

const quote = 0x22

export interface ChildIndex {
  readonly index: LineIndex
  /** Which row of the parent a line of the child is a copy of, by the line's place. */
  readonly copies: ReadonlyMap<number, number>
  /** Which call a copied line makes or answers, by the line's place, where the line begins with it as the CLI writes it. */
  readonly calls: ReadonlyMap<number, string>
}

export interface Ids {
  readonly parent: string
  readonly child: string
}

export async function indexChild(path: string, parent: OpenSession, ids: Ids): Promise<ChildIndex> {
  const index = new LineIndex()
  const lines = new ChildLines(ids.parent, ids.child)
  const copies = new Map<number, number>()
  const calls = new Map<number, string>()
  const messageIds = new Map([...parent.index.groupOf].map(([messageId, group]) => [group, messageId]))
  await indexFile(index, path, 0, (line) => {
    if (!addCopy(line)) index.add(line)
  })
  linkRows(index)
  return { index, copies, calls }

  /** `false` where the line is no copy, or not known to be one. */
  function addCopy(line: Line): boolean {
    const { rows } = parent.index
    const uuid = lines.originOf(line)
    const at = uuid === null ? undefined : rows.byUuid.get(uuid)
    // A compaction tells more than its row holds; a line that was copied before keeps its origin elsewhere.
    if (at === undefined || rows.idAt(at) === noRow || rows.kind(at) === 'boundary' || rows.origin(at) !== null) return false
    const shift = lines.copyShift(line, parent.values.bytesAt(rows.line(at), rows.lineBytes(at)), rows.idAt(at))
    const parentUuid = parentUuidOf(line)
    const row = rows.get(at)
    if (shift === null || parentUuid === undefined || row === undefined) return false
    index.addKnown(line, shift, row, parentUuid, row.kind === 'assistant' ? groupOf(row.group) : null)
    const place = placeOf(line)
    copies.set(place, at)
    const call = row.kind === 'assistant' || row.kind === 'result' ? callIn(line, row.offset - place) : null
    if (call !== null) calls.set(place, call)
    return true
  }

  function groupOf(group: number): KnownGroup {
    return { messageId: messageIds.get(group) ?? null, facts: parent.index.groups.facts(group) }
  }
}

/** The id a content begins with; it is looked for in so many bytes. */
const callKeys = [Buffer.from('"tool_use_id":"'), Buffer.from('"type":"tool_use","id":"')]
const callBytes = 64

function callIn({ buffer, start }: Line, contentAt: number): string | null {
  const content = buffer.subarray(start + contentAt, start + contentAt + callBytes)
  for (const key of callKeys) {
    const from = content.indexOf(key)
    if (from === -1) continue
    const idAt = start + contentAt + from + key.length
    return buffer.toString('utf8', idAt, buffer.indexOf(quote, idAt))
  }
  return null
}
