// Takes from the bytes of one transcript line the fields pass 1 needs, without building the object: most bytes of a transcript
// are tool output, thinking and prompt snapshots that are never looked at here.
import { JsonCursor, JsonKeys, noMoreKeys } from '../../lib/json-fields.ts'
import type { Line } from '../../lib/jsonl.ts'
import type { Origin } from './row.ts'

export interface LineFields {
  type: string | null
  uuid: string | null
  parentUuid: string | null
  logicalParentUuid: string | null
  timestamp: string | null
  isSidechain: boolean
  isMeta: boolean
  isCompactSummary: boolean
  isApiError: boolean
  explicit: boolean
  /** `undefined` when the line has none; `null` means "rewound to the start". */
  leafUuid: string | null | undefined
  title: string | null
  attachmentType: string | null
  origin: Origin | null
  messageId: string | null
  model: string | null
  stopReason: string | null
  inputTokens: number
  cachedInputTokens: number
  outputTokens: number
  hasText: boolean
  hasResult: boolean
  tools: number
  lastTool: string
  /** The tool id looked for stands in this line. */
  hasWanted: boolean
}

const topKeys = new JsonKeys([
  'type',
  'uuid',
  'parentUuid',
  'logicalParentUuid',
  'timestamp',
  'isSidechain',
  'isMeta',
  'isCompactSummary',
  'isApiErrorMessage',
  'explicit',
  'leafUuid',
  'customTitle',
  'aiTitle',
  'summary',
  'attachment',
  'forkedFrom',
  'message',
])
const messageKeys = new JsonKeys(['id', 'model', 'stop_reason', 'usage', 'content'])
const usageKeys = new JsonKeys(['input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens', 'output_tokens'])
const blockKeys = new JsonKeys(['type', 'id', 'text', 'thinking'])
const originKeys = new JsonKeys(['sessionId', 'messageUuid'])
const typeKey = new JsonKeys(['type'])

/** One reader per file: it reuses its cursor and its answer. */
export class LineReader {
  readonly fields: LineFields = blankFields()
  readonly #cursor = new JsonCursor()
  readonly #wanted: string | null

  constructor(wantedTool: string | null = null) {
    this.#wanted = wantedTool
  }

  /** False when the line is no JSON object. */
  read(line: Line): boolean {
    const cursor = this.#cursor
    cursor.reset(line.buffer, line.start, line.end)
    Object.assign(this.fields, blank)
    if (!cursor.enterObject()) return false
    for (let key = cursor.nextKey(topKeys); key !== noMoreKeys; key = cursor.nextKey(topKeys)) this.#readTop(key)
    return cursor.atEnd()
  }

  #readTop(key: number): void {
    const { fields } = this
    const cursor = this.#cursor
    switch (topKeys.names[key]) {
      case 'type':
        fields.type = cursor.string()
        break
      case 'uuid':
        fields.uuid = cursor.string()
        break
      case 'parentUuid':
        fields.parentUuid = cursor.string()
        break
      case 'logicalParentUuid':
        fields.logicalParentUuid = cursor.string()
        break
      case 'timestamp':
        fields.timestamp = cursor.string()
        break
      case 'isSidechain':
        fields.isSidechain = cursor.isTrue()
        break
      case 'isMeta':
        fields.isMeta = cursor.isTrue()
        break
      case 'isCompactSummary':
        fields.isCompactSummary = cursor.isTrue()
        break
      case 'isApiErrorMessage':
        fields.isApiError = cursor.isTrue()
        break
      case 'explicit':
        fields.explicit = cursor.isTrue()
        break
      case 'leafUuid':
        fields.leafUuid = cursor.string()
        break
      case 'customTitle':
      case 'aiTitle':
      case 'summary':
        fields.title = cursor.string()
        break
      case 'attachment':
        this.#readAttachment()
        break
      case 'forkedFrom':
        this.#readOrigin()
        break
      case 'message':
        this.#readMessage()
        break
      default:
        cursor.skip()
    }
  }

  #readAttachment(): void {
    const cursor = this.#cursor
    this.fields.attachmentType = null
    if (!cursor.enterObject()) {
      cursor.skip()
      return
    }
    for (let key = cursor.nextKey(typeKey); key !== noMoreKeys; key = cursor.nextKey(typeKey)) {
      if (key === 0) this.fields.attachmentType = cursor.string()
      else cursor.skip()
    }
  }

  #readOrigin(): void {
    const cursor = this.#cursor
    this.fields.origin = null
    if (!cursor.enterObject()) {
      cursor.skip()
      return
    }
    const found: (string | null)[] = [null, null]
    for (let key = cursor.nextKey(originKeys); key !== noMoreKeys; key = cursor.nextKey(originKeys)) {
      if (key >= 0) found[key] = cursor.string()
      else cursor.skip()
    }
    const [sessionId, messageUuid] = found
    if (sessionId && messageUuid) this.fields.origin = { sessionId, messageUuid }
  }

  #readMessage(): void {
    const { fields } = this
    const cursor = this.#cursor
    Object.assign(fields, blankMessage)
    if (!cursor.enterObject()) {
      cursor.skip()
      return
    }
    for (let key = cursor.nextKey(messageKeys); key !== noMoreKeys; key = cursor.nextKey(messageKeys)) {
      if (key === 0) fields.messageId = cursor.string()
      else if (key === 1) fields.model = cursor.string()
      else if (key === 2) fields.stopReason = cursor.string()
      else if (key === 3) this.#readUsage()
      else if (key === 4) this.#readContent()
      else cursor.skip()
    }
  }

  #readUsage(): void {
    const { fields } = this
    const cursor = this.#cursor
    if (!cursor.enterObject()) {
      cursor.skip()
      return
    }
    const counts = [0, 0, 0, 0]
    for (let key = cursor.nextKey(usageKeys); key !== noMoreKeys; key = cursor.nextKey(usageKeys)) {
      if (key >= 0) counts[key] = cursor.number() ?? 0
      else cursor.skip()
    }
    const [input = 0, written = 0, read = 0, output = 0] = counts
    fields.inputTokens = input + written + read
    fields.cachedInputTokens = read
    fields.outputTokens = output
  }

  #readContent(): void {
    const { fields } = this
    const cursor = this.#cursor
    fields.hasText = fields.hasResult = fields.hasWanted = false
    fields.tools = 0
    if (!cursor.enterArray()) {
      fields.hasText = cursor.skipText()
      return
    }
    while (cursor.nextElement()) {
      if (cursor.enterObject()) this.#readBlock()
      else cursor.skip()
    }
  }

  #readBlock(): void {
    const { fields } = this
    const cursor = this.#cursor
    let type: string | null = null
    let id: string | null = null
    let text = false
    let thinking = false
    for (let key = cursor.nextKey(blockKeys); key !== noMoreKeys; key = cursor.nextKey(blockKeys)) {
      if (key === 0) type = cursor.string()
      else if (key === 1) id = cursor.string()
      else if (key === 2) text = cursor.skipText()
      else if (key === 3) thinking = cursor.skipText()
      else cursor.skip()
    }
    if (type === 'tool_result') fields.hasResult = true
    else if (isToolUse(type) && id) {
      fields.tools += 1
      fields.lastTool = id
      if (id === this.#wanted) fields.hasWanted = true
    } else if ((type === 'text' && text) || (type === 'thinking' && thinking)) fields.hasText = true
  }
}

/** The model's own tools and those its provider runs for it. */
export function isToolUse(type: unknown): boolean {
  return type === 'tool_use' || type === 'server_tool_use' || type === 'mcp_tool_use'
}

const blankMessage = {
  messageId: null,
  model: null,
  stopReason: null,
  inputTokens: 0,
  cachedInputTokens: 0,
  outputTokens: 0,
  hasText: false,
  hasResult: false,
  tools: 0,
  lastTool: '',
  hasWanted: false,
}

function blankFields(): LineFields {
  return {
    type: null,
    uuid: null,
    parentUuid: null,
    logicalParentUuid: null,
    timestamp: null,
    isSidechain: false,
    isMeta: false,
    isCompactSummary: false,
    isApiError: false,
    explicit: false,
    leafUuid: undefined,
    title: null,
    attachmentType: null,
    origin: null,
    ...blankMessage,
  }
}

const blank = blankFields()
