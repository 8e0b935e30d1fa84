// Takes from the bytes of one transcript line the fields pass 1 needs, without building the object: most bytes of a transcript
// are tool output, thinking and prompt snapshots that are never looked at here.
import { JsonFields, type JsonShape } from '../../lib/json-fields.ts'
import type { Line } from '../../lib/jsonl.ts'
import { systemText } from '../../lib/system-text.ts'
import type { Origin } from './row.ts'

export interface LineFields {
  type: string | null
  subtype: string | null
  uuid: string | null
  parentUuid: string | null
  logicalParentUuid: string | null
  timestamp: string | null
  cwd: string | null
  gitBranch: string | null
  version: string | null
  isSidechain: boolean
  isMeta: boolean
  isCompactSummary: boolean
  isApiError: boolean
  explicit: boolean
  /** `undefined` when the line has none; `null` means "rewound to the start". */
  leafUuid: string | null | undefined
  title: string | null
  attachmentType: string | null
  /** What the model was shown of an attachment is recorded. */
  isRendered: boolean
  /** The line itself has a text, as system lines do. */
  hasOwnText: boolean
  /** Of `queue-operation` lines only: what is done, with what text, why, and where that text stands in the buffer. */
  operation: string | null
  ownText: string | null
  reason: string | null
  ownTextStart: number
  ownTextEnd: number
  origin: Origin | null
  messageId: string | null
  model: string | null
  stopReason: string | null
  inputTokens: number
  cachedInputTokens: number
  outputTokens: number
  hasText: boolean
  hasResult: boolean
  /** Of a finished command; a failed one tells its code in the text only. */
  exitCode: number | null
  /** Where the value of `sessionId` stands in the buffer; -1 when it is no string. */
  idStart: number
  /** Where `message.content` stands in the buffer. */
  contentStart: number
  contentEnd: number
  tools: number
  lastTool: string
  /** The tool id looked for stands in this line. */
  hasWanted: boolean
}

const shape = {
  type: true,
  subtype: true,
  content: true,
  operation: true,
  reason: true,
  cwd: true,
  gitBranch: true,
  version: true,
  uuid: true,
  sessionId: true,
  parentUuid: true,
  logicalParentUuid: true,
  timestamp: true,
  isSidechain: true,
  isMeta: true,
  isCompactSummary: true,
  isApiErrorMessage: true,
  explicit: true,
  leafUuid: true,
  customTitle: true,
  aiTitle: true,
  summary: true,
  attachment: { type: true },
  rendered: [{ content: true }],
  forkedFrom: { sessionId: true, messageUuid: true },
  message: {
    id: true,
    model: true,
    stop_reason: true,
    usage: { input_tokens: true, cache_creation_input_tokens: true, cache_read_input_tokens: true, output_tokens: true },
    content: [{ type: true, id: true, text: true, thinking: true }],
  },
  toolUseResult: { stdout: true, interrupted: true, exitCode: true, code: true, backgroundTaskId: true },
} as const satisfies JsonShape

const blank = 0x20
const backslash = 0x5c

/** Reads line after line; neighbouring lines share most of their strings, so it remembers the last one. */
class LineReader {
  readonly #fields: LineFields = blankFields()
  readonly #json: JsonFields = new JsonFields(shape, (array) => this.#readElement(array))
  readonly #slots = slotsOf(this.#json)
  #buffer: Buffer = Buffer.alloc(0)
  #wanted: string | null = null
  #blockType = ''
  #lastUuid = ''

  read(line: Line, wantedTool: string | null): LineFields | null {
    const fields = this.#fields
    this.#buffer = line.buffer
    this.#wanted = wantedTool
    // Found while the line is being read; all others are set below.
    fields.isRendered = fields.hasText = fields.hasResult = fields.hasWanted = false
    fields.tools = 0
    fields.lastTool = ''
    const json = this.#json
    if (!json.read(line.buffer, line.start, line.end)) return null
    const s = this.#slots
    fields.type = json.string(s.type, fields.type ?? '')
    fields.subtype = json.string(s.subtype)
    fields.uuid = json.string(s.uuid)
    fields.parentUuid = json.string(s.parentUuid, this.#lastUuid)
    fields.logicalParentUuid = json.string(s.logicalParentUuid)
    fields.timestamp = json.string(s.timestamp)
    fields.cwd = systemText(json.string(s.cwd, fields.cwd ?? ''))
    fields.gitBranch = systemText(json.string(s.gitBranch, fields.gitBranch ?? ''))
    fields.version = json.string(s.version, fields.version ?? '')
    fields.isSidechain = json.isTrue(s.isSidechain)
    fields.isMeta = json.isTrue(s.isMeta)
    fields.isCompactSummary = json.isTrue(s.isCompactSummary)
    fields.isApiError = json.isTrue(s.isApiErrorMessage)
    fields.explicit = json.isTrue(s.explicit)
    fields.leafUuid = json.isNull(s.leafUuid) ? null : (json.string(s.leafUuid) ?? undefined)
    fields.title = json.string(s.customTitle) ?? json.string(s.aiTitle) ?? json.string(s.summary)
    fields.attachmentType = json.string(s.attachmentType)
    fields.hasOwnText = json.isText(s.content)
    if (fields.type === 'queue-operation') {
      fields.operation = json.string(s.operation)
      fields.ownText = json.string(s.content)
      fields.reason = json.string(s.reason)
      const { start, end } = json.range(s.content)
      fields.ownTextStart = start
      fields.ownTextEnd = end
    }
    fields.idStart = json.isText(s.sessionId) ? json.start(s.sessionId) : -1
    fields.origin = this.#origin()
    this.#readMessage(fields)
    fields.exitCode = fields.hasResult ? this.#exitCode() : null
    if (fields.uuid !== null) this.#lastUuid = fields.uuid
    return fields
  }

  #origin(): Origin | null {
    const sessionId = this.#json.string(this.#slots.originSession)
    const messageUuid = this.#json.string(this.#slots.originUuid)
    return sessionId && messageUuid ? { sessionId, messageUuid } : null
  }

  #readMessage(fields: LineFields): void {
    const json = this.#json
    const s = this.#slots
    fields.messageId = json.string(s.messageId, fields.messageId ?? '')
    fields.model = systemText(json.string(s.model, fields.model ?? ''))
    fields.stopReason = json.string(s.stopReason, fields.stopReason ?? '')
    const read = json.count(s.cacheRead)
    fields.inputTokens = json.count(s.input) + json.count(s.cacheWritten) + read
    fields.cachedInputTokens = read
    fields.outputTokens = json.count(s.output)
    if (this.#hasWords(s.blocks)) fields.hasText = true
    const { start, end } = json.range(s.blocks)
    fields.contentStart = start
    fields.contentEnd = end
  }

  #hasWords(slot: number): boolean {
    const first = this.#buffer[this.#json.start(slot) + 1]
    if (first !== blank && first !== backslash) return this.#json.isText(slot)
    return !isBlank(this.#json.string(slot) ?? '')
  }

  #exitCode(): number | null {
    const json = this.#json
    const s = this.#slots
    if (json.isNumber(s.exitCode)) return json.number(s.exitCode)
    if (json.isNumber(s.code)) return json.number(s.code)
    // Only commands give stdout; one that still runs or was cut short has no exit code yet.
    return json.isString(s.stdout) && json.isFalse(s.interrupted) && !json.isString(s.backgroundTaskId) ? 0 : null
  }

  /** Called for each block of `message.content` and each part of `rendered`, while the line is being read. */
  #readElement(array: number): void {
    const fields = this.#fields
    const json = this.#json
    const s = this.#slots
    if (array === s.rendered) {
      fields.isRendered ||= json.isText(s.renderedText)
      return
    }
    const type = json.string(s.blockType, this.#blockType)
    this.#blockType = type ?? ''
    if (type === 'tool_result') fields.hasResult = true
    else if (type === 'text') fields.hasText ||= this.#hasWords(s.blockText)
    else if (type === 'thinking') fields.hasText ||= json.isText(s.blockThinking)
    else if (isToolUse(type) && json.isText(s.blockId)) {
      fields.tools += 1
      fields.lastTool = json.string(s.blockId) ?? ''
      if (fields.lastTool === this.#wanted) fields.hasWanted = true
    }
  }
}

function slotsOf(json: JsonFields) {
  return {
    type: json.slot('type'),
    subtype: json.slot('subtype'),
    content: json.slot('content'),
    operation: json.slot('operation'),
    reason: json.slot('reason'),
    cwd: json.slot('cwd'),
    gitBranch: json.slot('gitBranch'),
    version: json.slot('version'),
    uuid: json.slot('uuid'),
    sessionId: json.slot('sessionId'),
    parentUuid: json.slot('parentUuid'),
    logicalParentUuid: json.slot('logicalParentUuid'),
    timestamp: json.slot('timestamp'),
    isSidechain: json.slot('isSidechain'),
    isMeta: json.slot('isMeta'),
    isCompactSummary: json.slot('isCompactSummary'),
    isApiErrorMessage: json.slot('isApiErrorMessage'),
    explicit: json.slot('explicit'),
    leafUuid: json.slot('leafUuid'),
    customTitle: json.slot('customTitle'),
    aiTitle: json.slot('aiTitle'),
    summary: json.slot('summary'),
    attachmentType: json.slot('attachment.type'),
    rendered: json.slot('rendered'),
    renderedText: json.slot('rendered.content'),
    originSession: json.slot('forkedFrom.sessionId'),
    originUuid: json.slot('forkedFrom.messageUuid'),
    messageId: json.slot('message.id'),
    model: json.slot('message.model'),
    stopReason: json.slot('message.stop_reason'),
    input: json.slot('message.usage.input_tokens'),
    cacheWritten: json.slot('message.usage.cache_creation_input_tokens'),
    cacheRead: json.slot('message.usage.cache_read_input_tokens'),
    output: json.slot('message.usage.output_tokens'),
    blocks: json.slot('message.content'),
    blockType: json.slot('message.content.type'),
    blockId: json.slot('message.content.id'),
    blockText: json.slot('message.content.text'),
    blockThinking: json.slot('message.content.thinking'),
    stdout: json.slot('toolUseResult.stdout'),
    interrupted: json.slot('toolUseResult.interrupted'),
    exitCode: json.slot('toolUseResult.exitCode'),
    code: json.slot('toolUseResult.code'),
    backgroundTaskId: json.slot('toolUseResult.backgroundTaskId'),
  }
}

/** The model's own tools and those its provider runs for it. */
export function isToolUse(type: unknown): boolean {
  return type === 'tool_use' || type === 'server_tool_use' || type === 'mcp_tool_use'
}

/** A model's answer may begin with a block of newlines: the CLI does not send it again. */
export function isBlank(text: string): boolean {
  return /^[ \t\r\n]*$/.test(text)
}

function blankFields(): LineFields {
  return {
    type: null,
    subtype: null,
    uuid: null,
    parentUuid: null,
    logicalParentUuid: null,
    timestamp: null,
    cwd: null,
    gitBranch: null,
    version: null,
    isSidechain: false,
    isMeta: false,
    isCompactSummary: false,
    isApiError: false,
    explicit: false,
    leafUuid: undefined,
    title: null,
    attachmentType: null,
    isRendered: false,
    hasOwnText: false,
    operation: null,
    ownText: null,
    reason: null,
    ownTextStart: 0,
    ownTextEnd: 0,
    origin: null,
    messageId: null,
    model: null,
    stopReason: null,
    inputTokens: 0,
    cachedInputTokens: 0,
    outputTokens: 0,
    hasText: false,
    hasResult: false,
    exitCode: null,
    idStart: -1,
    contentStart: 0,
    contentEnd: 0,
    tools: 0,
    lastTool: '',
    hasWanted: false,
  }
}

const reader = new LineReader()

/** The fields of a line, or `null` when it is no JSON object. They hold until the next line is read. */
export function readLine(line: Line, wantedTool: string | null): LineFields | null {
  return reader.read(line, wantedTool)
}
