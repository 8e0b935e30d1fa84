// Writes a Claude Code session file as version 2.1.325 does: a chain of lines, one line per content block.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fakeUuid } from './fake-uuid.ts'

export interface ToolUse {
  readonly name: string
  readonly input: Readonly<Record<string, unknown>>
  readonly result: string
}

export interface ClaudeTranscript {
  prompt(text: string, promptId?: string): void
  think(text: string): void
  say(text: string): void
  /** Several calls in one message run in parallel: each result hangs off its own call. */
  use(...tools: readonly ToolUse[]): void
  compact(summary: string): void
  /** The agent's own /branch: a new session that copies every line so far and names where each came from. */
  branch(sessionId: string, title: string): ClaudeTranscript
  write(configFolder: string): string
}

export interface TranscriptOptions {
  readonly sessionId: string
  readonly cwd: string
  readonly startedAt: number
}

type Line = Readonly<Record<string, unknown>>

const model = 'claude-opus-5-5'

export function createClaudeTranscript(
  options: TranscriptOptions,
  copied: readonly Line[] = [],
  title?: string,
): ClaudeTranscript {
  const { sessionId, cwd } = options
  const lines: Line[] = [...copied]
  let at = options.startedAt
  let count = copied.length
  let parent = lastUuid(copied)
  let lastPrompt = ''

  const add = (fields: Line, parentUuid: string | null = parent) => {
    count += 1
    const uuid = fakeUuid(sessionId, count)
    at += 4_000
    const common = {
      isSidechain: false,
      userType: 'external',
      entrypoint: 'cli',
      cwd,
      sessionId,
      version: '2.1.325',
      gitBranch: 'main',
    }
    lines.push({ parentUuid, ...common, ...fields, uuid, timestamp: new Date(at).toISOString() })
    parent = uuid
    return uuid
  }
  const assistant = (block: Line, messageId: string, stop: string) => {
    const usage = { input_tokens: 1200, cache_creation_input_tokens: 0, cache_read_input_tokens: 800, output_tokens: 150 }
    return add({
      type: 'assistant',
      message: { id: messageId, type: 'message', role: 'assistant', model, content: [block], stop_reason: stop, usage },
    })
  }

  return {
    prompt(text, promptId) {
      at += 60_000
      lastPrompt = text
      const id = promptId === undefined ? {} : { promptId }
      add({ type: 'user', message: { role: 'user', content: text }, ...id, origin: { kind: 'human' }, promptSource: 'typed' })
    },
    think: (thinking) => void assistant({ type: 'thinking', thinking, signature: '' }, `msg_${count}`, 'end_turn'),
    say: (text) => void assistant({ type: 'text', text }, `msg_${count}`, 'end_turn'),
    use(...tools) {
      const messageId = `msg_${count}`
      const calls = tools.map(({ name, input, result }) => {
        const id = `toolu_${sessionId.slice(0, 8)}_${count}`
        return { id, result, uuid: assistant({ type: 'tool_use', id, name, input }, messageId, 'tool_use') }
      })
      for (const { id, result, uuid } of calls) {
        add(
          {
            type: 'user',
            message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: result }] },
            toolUseResult: result,
          },
          uuid,
        )
      }
    },
    compact(summary) {
      const logicalParentUuid = parent
      add(
        {
          type: 'system',
          subtype: 'compact_boundary',
          content: 'Conversation compacted',
          logicalParentUuid,
          compactMetadata: { trigger: 'manual', preTokens: 9000 },
        },
        null,
      )
      add({ type: 'user', message: { role: 'user', content: summary }, isCompactSummary: true, isVisibleInTranscriptOnly: true })
    },
    branch(newId, newTitle) {
      const inherited = lines.map((line) => ({ ...line, sessionId: newId, forkedFrom: { sessionId, messageUuid: line.uuid } }))
      return createClaudeTranscript({ sessionId: newId, cwd, startedAt: at }, inherited, newTitle)
    },
    write(configFolder) {
      const path = join(configFolder, 'projects', cwd.replace(/[^a-zA-Z0-9]/g, '-'), `${sessionId}.jsonl`)
      const all = [...lines, { type: 'last-prompt', lastPrompt, leafUuid: parent, sessionId }]
      if (title !== undefined) all.push({ type: 'custom-title', customTitle: title, sessionId })
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, all.map((line) => `${JSON.stringify(line)}\n`).join(''), { mode: 0o600 })
      return path
    },
  }
}

function lastUuid(lines: readonly Line[]): string | null {
  const uuid = lines.at(-1)?.uuid
  return typeof uuid === 'string' ? uuid : null
}
