// Our reading of a session beside the SDK's: the same messages in the same order, and no user's words taken for something else.
import type { ReadOptions } from '../../src/agents/reading.ts'
import type { App } from '../../src/app.ts'
import type { CatalogSession } from '../../src/model/catalog.ts'
import { type Comparison, compareHistory, fromEntries, type Rule, type SeenItem } from '../real/lib/history.ts'
import type { Report } from './report.ts'
import type { Sdk } from './sdk.ts'
import { fromSdk, isInjected, sdkRules } from './sdk-items.ts'

type Kind = Pick<Rule, 'name' | 'reason'>

/** Differences between two whole readings, where single messages do not tell why. */
const callOrder: Kind = {
  name: 'order of parallel calls',
  reason:
    'Calls that are not on the way to the root come last to the SDK; here all calls of a message are in the order of the file.',
}
const bridgedGap: Kind = {
  name: 'bridged gap',
  reason: 'A parent is missing; the CLI goes on with what was written up to 5 s before, and so do we, the SDK ends there.',
}

/** What a user message is that we do not take for a prompt, by how it begins. */
const injectedKinds: readonly (Kind & { readonly start: RegExp })[] = [
  { name: 'local command', reason: 'A command of the CLI itself and its output.', start: /^<(command-|local-command-)/ },
  { name: 'shell command', reason: 'A command the user ran with `!`, and its output.', start: /^<bash-/ },
  {
    name: 'interruption',
    reason: 'The mark the CLI writes when the user presses Escape.',
    start: /^\[Request interrupted by user/,
  },
  { name: 'task notification', reason: 'A report of a background task.', start: /^<task-notification>/ },
  { name: 'teammate message', reason: 'What another agent of a team wrote.', start: /^<teammate-message/ },
  {
    name: 'stopped by a hook',
    reason: 'The mark the CLI writes when a hook refuses a prompt.',
    start: /^Operation stopped by hook/,
  },
]

export const readingKinds: readonly Kind[] = [...sdkRules, callOrder, bridgedGap, ...injectedKinds]

export async function checkReading(app: App, sdk: Sdk, session: CatalogSession, report: Report): Promise<{ hasGap: boolean }> {
  const received = fromSdk(await sdk.messages(session.id))
  const { items: ours, hasGap } = await readContext(app, session)
  report.noteComparison('messages, as the SDK reads them', session.id, compareReadings(ours, received, hasGap))
  for (const item of received.filter((each) => isInjected(each, ours))) {
    const kind = injectedKinds.find(({ start }) => start.test(item.text))
    const outcome = kind === undefined ? { problem: `not taken for a prompt: ${item.text}` } : { kinds: [kind.name] }
    report.note('user messages that are no prompts', session.id, outcome)
  }
  return { hasGap }
}

/** What the model is sent next, and whether a gap in the file had to be bridged for it. */
export async function readContext(app: App, session: CatalogSession, options: ReadOptions = {}) {
  let hasGap = false
  async function* entries() {
    for await (const entry of app.readSession(session, { view: 'context', ...options })) {
      hasGap ||= entry.kind === 'skipped' && (entry.reason === 'bridged' || entry.reason === 'cut-off')
      yield entry
    }
  }
  return { items: await fromEntries(entries(), { withSystem: true }), hasGap }
}

export function compareReadings(ours: readonly SeenItem[], received: readonly SeenItem[], hasGap: boolean): Comparison {
  const plain = compareHistory(ours, received, sdkRules)
  if (plain.equal) return plain
  const ordered = compareHistory(ours, received, sdkRules, inOrderOfId)
  if (ordered.equal) return becauseOf(ordered, callOrder)
  if (!hasGap) return plain
  const starts = ours.flatMap(({ text }, at) => (text === received[0]?.text ? [at] : []))
  const ends = starts.map((at) => compareHistory(ours.slice(at), received, sdkRules, inOrderOfId))
  const end = ends.find(({ equal }) => equal)
  return end === undefined ? plain : becauseOf(end, bridgedGap)
}

function becauseOf(comparison: Comparison, { name }: Kind): Comparison {
  return { ...comparison, used: new Map([...comparison.used, [name, 1]]) }
}

/** Each run of calls and results sorted by the calls' ids. */
function inOrderOfId(items: readonly SeenItem[]): SeenItem[] {
  const sorted: SeenItem[] = []
  let run: SeenItem[] = []
  const flush = () => {
    sorted.push(...run.sort((a, b) => (a.callId ?? '').localeCompare(b.callId ?? '')))
    run = []
  }
  for (const item of items) {
    if (item.callId !== undefined) run.push(item)
    else {
      flush()
      sorted.push(item)
    }
  }
  flush()
  return sorted
}
