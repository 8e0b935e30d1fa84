// What a line of the tree says about itself, before it is known what kind of message it is.
import { isObject, type Line } from '../../lib/jsonl.ts'
import { timeOf } from './facts.ts'
import type { LineFields } from './line-fields.ts'
import { noRow, type Preserved, type Row } from './row.ts'

export function blankRow(fields: LineFields, line: Line): Row {
  const lineAt = placeOf(line)
  const hasContent = fields.contentEnd > 0
  return {
    uuid: fields.uuid ?? '',
    parent: noRow,
    line: lineAt,
    lineBytes: line.end - line.start,
    idAt: fields.idStart < 0 ? noRow : fields.idStart - line.start,
    offset: hasContent ? lineAt + fields.contentStart - line.start : lineAt,
    bytes: hasContent ? fields.contentEnd - fields.contentStart : line.end - line.start,
    kind: 'aside',
    group: noRow,
    at: timeOf(fields.timestamp),
    messages: 0,
    passive: fields.type === 'attachment' || fields.type === 'system',
    calls: fields.tools > 0,
    direct: true,
    exitCode: fields.exitCode,
    sign: '',
    text: '',
    cwd: null,
    origin: fields.origin,
  }
}

/** At the very start of the file a BOM was left out. */
export function placeOf({ offset, start }: Line): number {
  return offset === 0 ? start : offset
}

/** What a compaction says it kept. */
export function summarisedOf(metadata: unknown): number | null {
  const count = isObject(metadata) ? metadata.messagesSummarized : undefined
  return typeof count === 'number' && Number.isSafeInteger(count) ? count : null
}

export function preservedOf(metadata: unknown): Preserved | null {
  if (!isObject(metadata)) return null
  const { preservedMessages, preservedSegment } = metadata
  if (isObject(preservedMessages) && Array.isArray(preservedMessages.uuids)) {
    const uuids = preservedMessages.uuids.filter((uuid) => typeof uuid === 'string')
    return { anchor: stringOf(preservedMessages.anchorUuid), uuids, head: null, tail: null }
  }
  if (!isObject(preservedSegment)) return null
  const { anchorUuid, headUuid, tailUuid } = preservedSegment
  return { anchor: stringOf(anchorUuid), uuids: [], head: stringOf(headUuid), tail: stringOf(tailUuid) }
}

function stringOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
