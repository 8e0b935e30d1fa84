// Claude Code transcripts with the line types, fields and proportions of 2.1.197 and 2.1.325: prompts, one line per content
// block, parallel tools, attachments, request records, titles, rewinds and copies of a parent's lines.
import type { Random } from './random.ts'

export type Json = Record<string, unknown>

export interface ClaudeOptions {
  readonly id: string
  readonly cwd: string
  readonly version: '2.1.197' | '2.1.325'
  readonly startedAt: number
  readonly turns: number
  /** Lines taken over from a parent, as `--fork-session` does: same uuids, new session id. */
  readonly inherited?: readonly Json[]
  /** Scales tool outputs. */
  readonly outputCharacters?: number
}

const tools = ['Read', 'Bash', 'Edit', 'Grep', 'Write'] as const

/** Yields the lines in file order. */
export function* claudeSession(random: Random, options: ClaudeOptions): Generator<Json> {
  const { id, cwd, version } = options
  const newer = version === '2.1.325'
  const outputCharacters = options.outputCharacters ?? 1500
  let at = options.startedAt
  let parent: string | null = null
  const now = (): string => {
    at += random.int(20, 4000)
    return new Date(at).toISOString()
  }
  const common = { userType: 'external', entrypoint: 'cli', cwd, sessionId: id, version, gitBranch: 'main' }
  const chain = (line: Json): Json => {
    const uuid = random.uuid()
    const whole = { parentUuid: parent, isSidechain: false, ...line, uuid, timestamp: now(), ...common }
    parent = uuid
    return whole
  }
  const attachment = (type: string, more: Json): Json =>
    chain({
      attachment: { type, ...more },
      type: 'attachment',
      ...(newer && { rendered: [{ content: random.prose(200) }], renderedRole: 'system' }),
    })

  for (const line of options.inherited ?? []) {
    yield { ...line, sessionId: id }
    if (typeof line.uuid === 'string') parent = line.uuid
  }
  if (parent === null) yield { type: 'permission-mode', permissionMode: 'default', sessionId: id }

  for (let turn = 1; turn <= options.turns; turn += 1) {
    const prompt = random.prose(random.int(20, 400))
    yield { type: 'queue-operation', operation: 'enqueue', timestamp: now(), sessionId: id, content: prompt }
    yield { type: 'queue-operation', operation: 'dequeue', timestamp: now(), sessionId: id }
    const promptId = random.uuid()
    yield chain({
      promptId,
      type: 'user',
      message: { role: 'user', content: prompt },
      permissionMode: 'default',
      promptSource: 'typed',
      origin: { kind: 'human' },
      ...(newer && { turnOrigin: 'human', turnPosition: { promptIndex: 0, turnIndex: turn } }),
    })
    if (turn === 1 && options.inherited === undefined) {
      yield attachment('agent_listing_delta', {
        addedTypes: ['claude', 'Explore'],
        addedLines: [random.prose(500), random.prose(400)],
        removedTypes: [],
      })
      yield attachment('skill_listing', { content: random.prose(1500), skillCount: 13, isInitial: true })
      if (newer) {
        yield attachment('environment', {
          snapshot: { workingDirectory: cwd, isGitRepo: true, platform: 'linux', shell: 'bash' },
        })
        yield attachment('prompt_snapshot', {
          systemPrompt: [random.prose(2000), random.prose(3000)],
          tools: [{ name: 'Agent', description: random.prose(3000) }],
        })
        yield {
          type: 'api-request-shape',
          sessionId: id,
          shapeHash: random.hex(64),
          timestamp: now(),
          version,
          shape: {
            system: [{ type: 'text', text: random.prose(4000) }],
            tools: [{ name: 'Agent', description: random.prose(8000) }],
          },
        }
      }
    }
    for (let request = random.int(1, 4); request > 0; request -= 1) yield* answer(promptId, request === 1)
    if (random.chance(0.1))
      yield {
        type: 'file-history-snapshot',
        messageId: random.uuid(),
        snapshot: { trackedFileBackups: {} },
        isSnapshotUpdate: false,
      }
    yield { type: 'last-prompt', lastPrompt: prompt.slice(0, 200), leafUuid: parent, sessionId: id }
    if (newer)
      yield {
        type: 'cost-state',
        sessionId: id,
        totalCostUSD: random.next(),
        totalDuration: at - options.startedAt,
        modelUsage: {},
      }
  }
  if (random.chance(0.3)) yield { type: 'custom-title', customTitle: random.prose(30), sessionId: id }
  else if (random.chance(0.5)) yield { type: 'ai-title', aiTitle: random.prose(40), sessionId: id }

  /** One request to the model and what came of it: text and tools, each block a line of its own, then the results. */
  function* answer(promptId: string, last: boolean): Generator<Json> {
    const requestRef = random.uuid()
    if (newer) {
      const blob = { role: 'user', content: [{ type: 'text', text: random.prose(random.int(100, 1500)) }] }
      yield { type: 'api-request-blob', sessionId: id, hash: random.hex(64), message: blob }
      yield {
        type: 'api-request',
        sessionId: id,
        id: requestRef,
        timestamp: now(),
        version,
        querySource: 'repl_main_thread',
        shapeHash: random.hex(64),
        params: { model: 'claude-opus-5-5', max_tokens: 128000 },
        keep: 4,
        tail: [random.hex(64)],
        cacheControl: [],
      }
    }
    const message = {
      id: `msg_${random.hex(24)}`,
      type: 'message',
      role: 'assistant',
      model: newer ? 'claude-opus-5-5' : 'claude-opus-4-8',
      stop_reason: last ? 'end_turn' : 'tool_use',
      stop_sequence: null,
      usage: {
        input_tokens: random.int(2, 900),
        cache_creation_input_tokens: random.int(0, 5000),
        cache_read_input_tokens: random.int(0, 90000),
        output_tokens: random.int(10, 2000),
        service_tier: 'standard',
      },
    }
    const extra = newer ? { requestRef, requestedModel: 'claude-opus-5-5', effort: 'medium' } : {}
    const block = (content: Json): Json =>
      chain({ message: { ...message, content: [content] }, requestId: `req_${random.hex(20)}`, type: 'assistant', ...extra })
    if (random.chance(0.3))
      yield block({ type: 'thinking', thinking: random.prose(random.int(100, 2000)), signature: random.hex(200) })
    if (last) {
      yield block({ type: 'text', text: random.prose(random.int(100, 2500)) })
      return
    }
    if (random.chance(0.5)) yield block({ type: 'text', text: random.prose(random.int(30, 300)) })
    const calls: { id: string; uuid: string; path: string }[] = []
    for (let count = random.chance(0.2) ? 3 : 1; count > 0; count -= 1) {
      const path = `${cwd}/src/${random.hex(6)}.ts`
      const call = {
        type: 'tool_use',
        id: `toolu_${random.hex(24)}`,
        name: random.pick(tools),
        input: { file_path: path, command: random.prose(80) },
      }
      const line = block(call)
      calls.push({ id: call.id, uuid: String(line.uuid), path })
      yield line
    }
    // Results are written as the tools end, each hanging off its own call: all but one are off the leaf's chain.
    for (const call of calls) {
      parent = call.uuid
      const output = random.code(random.int(50, 2 * outputCharacters))
      yield chain({
        promptId,
        type: 'user',
        message: { role: 'user', content: [{ tool_use_id: call.id, type: 'tool_result', content: output }] },
        toolUseResult: {
          type: 'text',
          file: { filePath: call.path, content: output, numLines: 40, startLine: 1, totalLines: 40 },
        },
        sourceToolAssistantUUID: call.uuid,
      })
    }
  }
}

/** The folder name Claude Code keeps a directory's sessions under. */
export function claudeFolder(cwd: string): string {
  return cwd.replace(/[^a-zA-Z0-9]/g, '-')
}
