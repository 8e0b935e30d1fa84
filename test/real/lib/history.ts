// The shared oracle: what our reader says the model has seen, against what the stand-in API was really sent. Both sides become
// flat lists of items; differences that must be there are taken out by rules, each named with its reason.
import type { Entry } from '../../../src/agents/reading.ts'

export interface SeenItem {
  readonly role: 'user' | 'assistant' | 'system' | 'thinking' | 'tool_call' | 'tool_result' | 'summary'
  /** A call's text is its arguments as JSON with sorted keys. */
  readonly text: string
  readonly name?: string
  readonly callId?: string
}

/** A rule only removes or rewrites what it must; `undefined` removes the item. */
export interface Rule {
  readonly name: string
  readonly reason: string
  readonly side: 'ours' | 'received' | 'both'
  /** `all` is the same side; `other` the other one: as it came for a rule on `received`, after its rules for a rule on `ours`. */
  readonly apply: (item: SeenItem, index: number, all: readonly SeenItem[], other: readonly SeenItem[]) => SeenItem | undefined
}

export interface Comparison {
  readonly equal: boolean
  /** A readable diff, empty when equal. */
  readonly diff: string
  /** How often each rule changed something: a rule that never does is dead. */
  readonly used: ReadonlyMap<string, number>
}

export interface FromEntriesOptions {
  /** Keeps what our reader calls `system`, for an agent that sends some of it as messages. */
  readonly withSystem?: boolean
}

/** Our reader's `view: 'context'`. Role `error` is left out, and `system` unless asked for: no messages of the conversation. */
export async function fromEntries(entries: AsyncIterable<Entry>, options: FromEntriesOptions = {}): Promise<SeenItem[]> {
  const items: SeenItem[] = []
  for await (const entry of entries) {
    if (entry.kind !== 'message') continue
    const { role, text, thinking, tool } = entry.message
    if (thinking !== undefined && thinking !== '') items.push({ role: 'thinking', text: thinking })
    if (role === 'tool') {
      if (tool === undefined) throw new Error(`tool message ${entry.message.id} carries no tool`)
      items.push({ role: 'tool_call', text: stableJson(tool.arguments), name: tool.name, callId: tool.callId })
      if (tool.output !== null) items.push({ role: 'tool_result', text: tool.output, callId: tool.callId })
    } else if (role === 'user' || role === 'assistant' || role === 'summary' || (role === 'system' && options.withSystem)) {
      if (text !== '') items.push({ role, text })
    }
  }
  return items
}

/** `arrange` brings both sides into one order or shape, after the rules. */
export function compareHistory(
  ours: readonly SeenItem[],
  received: readonly SeenItem[],
  rules: readonly Rule[] = [],
  arrange: (items: readonly SeenItem[]) => readonly SeenItem[] = (items) => items,
): Comparison {
  const used = new Map<string, number>()
  const right = applyRules(received, ours, rules, 'received', used)
  const left = applyRules(ours, right, rules, 'ours', used)
  const diff = diffItems(pairCalls(arrange(left)).map(showItem), pairCalls(arrange(right)).map(showItem))
  return { equal: diff === '', diff, used }
}

/** What is left of the received items when no reading is at hand to compare them with. */
export function receivedAlone(received: readonly SeenItem[], rules: readonly Rule[]): SeenItem[] {
  return applyRules(received, [], rules, 'received', new Map())
}

function applyRules(
  items: readonly SeenItem[],
  other: readonly SeenItem[],
  rules: readonly Rule[],
  side: 'ours' | 'received',
  used: Map<string, number>,
): SeenItem[] {
  let now = [...items]
  for (const rule of rules) {
    if (rule.side !== side && rule.side !== 'both') continue
    const all = now
    now = all.flatMap((item, index) => {
      const changed = rule.apply(item, index, all, other)
      if (changed !== item) used.set(rule.name, (used.get(rule.name) ?? 0) + 1)
      return changed === undefined ? [] : [changed]
    })
  }
  return now
}

/**
 * Puts every result behind its call. APIs take a batch of parallel calls first and then all results, the neutral model keeps a
 * call and its output in one message; the order of the calls themselves is kept and compared.
 */
function pairCalls(items: readonly SeenItem[]): SeenItem[] {
  const calls = new Set(items.flatMap((item) => (item.role === 'tool_call' && item.callId !== undefined ? [item.callId] : [])))
  const results = items.filter((item) => item.role === 'tool_result')
  return items.flatMap((item) => {
    if (item.role === 'tool_result') return item.callId !== undefined && calls.has(item.callId) ? [] : [item]
    if (item.role !== 'tool_call') return [item]
    return [item, ...results.filter((result) => result.callId === item.callId)]
  })
}

function showItem(item: SeenItem): string {
  const name = item.name === undefined ? '' : ` ${item.name}`
  const callId = item.callId === undefined ? '' : ` (${item.callId})`
  return `${item.role}${name}${callId}: ${JSON.stringify(item.text)}`
}

/** Lines only in ours are marked `-`, lines only received `+`: the shortest edit, so that one missing item shows as one line. */
function diffItems(ours: readonly string[], received: readonly string[]): string {
  if (ours.length === received.length && ours.every((item, at) => item === received[at])) return ''
  const width = received.length + 1
  const common = new Uint32Array((ours.length + 1) * width)
  const at = (i: number, j: number) => common[i * width + j] ?? 0
  for (let i = ours.length - 1; i >= 0; i -= 1) {
    for (let j = received.length - 1; j >= 0; j -= 1) {
      common[i * width + j] = ours[i] === received[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
    }
  }
  const rows: string[] = []
  let same = true
  let i = 0
  let j = 0
  while (i < ours.length || j < received.length) {
    if (i < ours.length && j < received.length && ours[i] === received[j]) {
      rows.push(`  ${ours[i]}`)
      i += 1
      j += 1
    } else {
      same = false
      if (j >= received.length || (i < ours.length && at(i + 1, j) >= at(i, j + 1))) {
        rows.push(`- ${ours[i]}`)
        i += 1
      } else {
        rows.push(`+ ${received[j]}`)
        j += 1
      }
    }
  }
  return same ? '' : `- our reader   + the API received\n${rows.join('\n')}`
}

export function stableJson(value: unknown): string {
  return JSON.stringify(sortKeys(value)) ?? 'null'
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sortKeys(inner)]),
  )
}
