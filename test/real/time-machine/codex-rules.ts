// What differs between the request an old Codex sent and what our reader or the newest CLI makes of its file, and must.
import { codexRules } from '../codex/received.ts'
import { compareHistory, type Rule, receivedAlone, type SeenItem } from '../lib/history.ts'

const wrappedOutput: Rule = {
  name: 'wrapped output',
  reason:
    'Up to 0.125 outputs are stored as JSON with metadata, and sent so by the newest CLI; our reader shows the output itself.',
  side: 'received',
  apply(item) {
    if (item.role !== 'tool_result' || !item.text.startsWith('{"output":')) return item
    const { output } = JSON.parse(item.text) as { output: string }
    return { ...item, text: output }
  },
}

const renderedOutput: Rule = {
  name: 'rendered output',
  reason: '0.125 sends a stored JSON output as plain text below its exit code; our reader shows the output itself.',
  side: 'received',
  apply(item, _index, _all, other) {
    const output =
      item.role === 'tool_result' ? /^Exit code: 0\nWall time: .*\nOutput:\n([\s\S]*)$/.exec(item.text)?.[1] : undefined
    return output === undefined || other.some(({ text }) => text === item.text) ? item : { ...item, text: output }
  },
}

const bridgeStart = 'You were originally given instructions from a user over one or more turns.'

const bridge: Rule = {
  name: 'bridge of a compaction',
  reason:
    'Up to 0.44 the prompts before a compaction and the summary were sent as one message. It is not stored, and the newest CLI ' +
    'sends prompts and summary one by one.',
  side: 'ours',
  apply(item, _index, all, other) {
    const sent = other.find(({ role, text }) => role === 'user' && text.startsWith(bridgeStart))
    if (sent === undefined) return item
    const told = all.filter(({ role, text }) => (role === 'user' || role === 'summary') && sent.text.includes(text))
    if (!told.includes(item)) return item
    return item === told.at(-1) ? sent : undefined
  },
}

const plainSummary: Rule = {
  name: 'plain summary',
  reason: 'Up to 0.44 a summary is sent as a plain user message, without the sentence that introduces it in later versions.',
  side: 'ours',
  apply: (item, _index, _all, other) =>
    item.role === 'summary' && other.some(({ role, text }) => role === 'user' && text === item.text)
      ? { ...item, role: 'user' }
      : item,
}

const own = [wrappedOutput, renderedOutput, bridge, plainSummary]
const rules = [...codexRules, ...own]
const used = new Set<string>()

export function unusedRules(): string[] {
  return own.map(({ name }) => name).filter((name) => !used.has(name))
}

/** Compares with what a Codex sent, the old or the newest. */
export function diffWithSent(side: readonly SeenItem[], sent: readonly SeenItem[]): string {
  const comparison = compareHistory(side, sent, rules)
  for (const name of comparison.used.keys()) used.add(name)
  return comparison.diff
}

/** What is left of a request of the newest CLI without what it adds by itself. */
export function sentHistory(now: readonly SeenItem[]): SeenItem[] {
  return receivedAlone(now, rules)
}
