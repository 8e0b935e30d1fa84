// What pass 1 keeps of a transcript: one small row per chain line, one group per assistant message (the CLI writes one line
// per content block), and the facts of the other lines. Rows hold offsets, never content, so that memory stays bounded.

/**
 * `prompt` begins a turn; `injected` is any other user line; `result` carries tool results; `aside` is a system line or an
 * attachment; `boundary` marks a compaction and `summary` is what replaced the history before it; `queued` is a prompt that only
 * the queue's notes hold (queue.ts).
 */
export type RowKind = 'prompt' | 'injected' | 'result' | 'assistant' | 'summary' | 'boundary' | 'aside' | 'queued'

export const noRow = -1
/** The parent is named but not in the file. */
export const missingRow = -2

export interface Origin {
  readonly sessionId: string
  readonly messageUuid: string
}

export interface Row {
  uuid: string
  parent: number
  /** Where the line stands, and in it the value of its session id; `idAt` is -1 where there is none. */
  line: number
  lineBytes: number
  idAt: number
  /** What pass 2 has to parse: the whole line of an aside, `message.content` of the others. */
  offset: number
  bytes: number
  kind: RowKind
  /** The assistant message it is part of, or (a result) answers; `noRow` for the rest. */
  group: number
  at: number | null
  /** Messages it yields by itself: 0 or 1; those of assistant lines are counted in the group. */
  messages: number
  /** Injected by the CLI around real messages: may be passed over when looking for what it hangs on. */
  passive: boolean
  /** An assistant line that calls tools. */
  calls: boolean
  /** The line names its parent itself; `false` where a line that is no row, or none at all, stands between the two. */
  direct: boolean
  /** Of a result: the exit code of a command that ended well, or as told. */
  exitCode: number | null
  /** `queued`: a prompt that was typed while another turn ran. `command`: what the user ran with `!`. */
  sign: 'interrupted' | 'ended' | 'queued' | 'command' | ''
  /** Text of a prompt, else empty. */
  text: string
  /** The folder in which a prompt was given or a text of the CLI's was written; `null` where the line names none, and for all other rows. */
  cwd: string | null
  /** `forkedFrom` of the line. */
  origin: Origin | null
}

/** An assistant message. */
export interface Group {
  rows: number[]
  results: number[]
  text: boolean
  tools: number
  lastTool: string
  wantsTool: boolean
  error: boolean
  synthetic: boolean
  inputTokens: number
  cachedInputTokens: number
  outputTokens: number
}

/** What a compaction left in the context besides its summary, and where: behind the line called anchor. */
export interface Preserved {
  readonly anchor: string | null
  readonly uuids: readonly string[]
  /** Instead of the uuids, in older files: the ends of the chain that is kept. */
  readonly head: string | null
  readonly tail: string | null
}

export interface Boundary {
  readonly preserved: Preserved | null
  /** The row written last before the compaction. */
  readonly lastBefore: number
  /** How many rows were summarised, where only a part was, as chosen in the rewind menu. */
  readonly summarised: number | null
}
