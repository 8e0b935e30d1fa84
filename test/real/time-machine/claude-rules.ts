// What differs between the request an old Claude Code sent and what our reader or the newest CLI makes of its file, and must.
import { forkRules } from '../claude/received.ts'
import { compareHistory, type Rule, receivedAlone, type SeenItem } from '../lib/history.ts'

const renamedTool: Rule = {
  name: 'renamed tool',
  reason: 'Up to 2.1.62 the tool that starts a subagent is called Task; the newest CLI sends its stored calls as Agent.',
  side: 'both',
  apply: (item) => (item.role === 'tool_call' && item.name === 'Task' ? { ...item, name: 'Agent' } : item),
}

const droppedCalls: Rule = {
  name: 'dropped parallel calls',
  reason:
    '2.1.0 to 2.1.63 load one of several parallel calls only when they resume in print mode. The file has all of them, and the ' +
    'newest CLI sends them all.',
  side: 'ours',
  apply(item, _index, _all, other) {
    const { callId } = item
    if (callId === undefined || other.some((one) => one.callId === callId)) return item
    return other.some((one) => one.callId !== undefined && batchOf(one.callId) === batchOf(callId)) ? undefined : item
  },
}

/** The stand-in numbers the calls of one answer: toolu_<request><call>, four digits each. */
function batchOf(callId: string): string {
  return callId.slice(0, -4)
}

const queuedOnly: Rule = {
  name: 'steering in the queue only',
  reason: 'Up to 2.1.81 a prompt typed while a tool ran is noted only in the queue: no version sends it again.',
  side: 'received',
  apply: (item, _index, _all, other) =>
    item.role === 'user' && item.text === 'also look at this' && !other.some(({ text }) => text === item.text) ? undefined : item,
}

const used = new Set<string>()

export function unusedRules(): string[] {
  return [renamedTool, droppedCalls, queuedOnly].map(({ name }) => name).filter((name) => !used.has(name))
}

function diff(side: readonly SeenItem[], sent: readonly SeenItem[], rules: readonly Rule[]): string {
  const comparison = compareHistory(side, unfold(sent), rules)
  for (const name of comparison.used.keys()) used.add(name)
  return comparison.diff
}

/** Compares with what the newest CLI sent for a fork, prompt included. */
export function diffWithNow(ours: readonly SeenItem[], now: readonly SeenItem[], prompt: string): string {
  return diff([...ours, { role: 'user', text: prompt }], now, [...forkRules, renamedTool])
}

/** Compares with what the old CLI had sent in front of a prompt. `side` is our reading, or what the newest CLI sent. */
export function diffWithThen(side: readonly SeenItem[], then: readonly SeenItem[], version: string): string {
  const isBefore = (other: string) => version.localeCompare(other, 'en', { numeric: true }) < 0
  const rules = [
    ...forkRules,
    renamedTool,
    ...(isBefore('2.1.82') ? [queuedOnly] : []),
    ...(!isBefore('2.1.0') && isBefore('2.1.64') ? [droppedCalls] : []),
  ]
  return diff(side, then, rules)
}

/** What is left of a request of the newest CLI without its prompt and what it adds by itself. */
export function sentHistory(now: readonly SeenItem[]): SeenItem[] {
  return receivedAlone(unfold(now), forkRules).slice(0, -1)
}

const foldedReminder = /^([\s\S]*?)\n\n(<system-reminder>[\s\S]*<\/system-reminder>)\s*$/

/** Several versions append reminders, steering among them, to the tool result in front of them. */
function unfold(items: readonly SeenItem[]): SeenItem[] {
  return items.flatMap((item): SeenItem[] => {
    const [, output, reminder] = (item.role === 'tool_result' && foldedReminder.exec(item.text)) || []
    if (output === undefined || reminder === undefined) return [item]
    return [
      { ...item, text: output },
      { role: 'user', text: reminder },
    ]
  })
}
