// What was left out or mended while the agents' files were read, in words: how many lines, in which sessions, and what to do.
import type { Agent } from '../../agents/agent.ts'
import type { Check } from '../../model/catalog.ts'
import { sessionAddress } from '../../model/render.ts'
import type { SkippedLines } from '../../store/skipped.ts'

const shown = 5
/** Long enough to be unique in practice, as everywhere an address is typed. */
const idLength = 8

/** One and several of what a reason stands for: the reasons agents count by are listed in `agents/reading.ts`. */
const words: Readonly<Record<string, readonly [string, string]>> = {
  torn: [
    'incomplete last line (being written, or cut off by a crash)',
    'incomplete last lines (being written, or cut off by a crash)',
  ],
  invalid: ['unreadable line', 'unreadable lines'],
  too_long: ['line over 64 MB, which is passed over', 'lines over 64 MB, which are passed over'],
  duplicate: ['answer that is there twice', 'answers that are there twice'],
  'no-uuid': ['message without an id', 'messages without an id'],
  dangling: ['result of a tool call that is not in the file', 'results of tool calls that are not in the file'],
  cycle: ['line that names a later line as its predecessor', 'lines that name later lines as their predecessors'],
  bridged: ['gap of a few seconds, which the agent bridges', 'gaps of a few seconds, which the agent bridges'],
}

export function checkLines(agent: Agent, lines: readonly SkippedLines[]): Check[] {
  const isGap = ({ reason }: SkippedLines) => reason === 'cut-off'
  return [
    ...checkGaps(
      agent,
      lines.filter((each) => isGap(each)),
    ),
    ...checkLeftOut(
      agent,
      lines.filter((each) => !isGap(each)),
    ),
  ]
}

/** The lines before a gap are all there: only the way back to them is not. */
function checkGaps(agent: Agent, gaps: readonly SkippedLines[]): Check[] {
  if (gaps.length === 0) return []
  const list = gaps.slice(0, shown).map((gap) => `${addressOf(gap)} (${countOf(gap.deadTurns, 'turn', 'turns')} not reached)`)
  const sessions = countOf(gaps.length, 'session misses a line', 'sessions miss lines')
  const message = `${sessions}, so ${agent.label} starts behind the gap when it resumes: ${withMore(list, gaps.length)}`
  const fix =
    'Run `offshoot turns <session> --dead` to see the turns before the gap, and `offshoot fork <session>@<turn id>` to go on from one.'
  return [{ id: `${agent.id}.gaps`, state: 'warn', message, fix }]
}

function checkLeftOut(agent: Agent, lines: readonly SkippedLines[]): Check[] {
  if (lines.length === 0) return []
  const reasons = [...new Set(lines.map(({ reason }) => reason))]
  const list = reasons.slice(0, 20).map((reason) =>
    describe(
      reason,
      lines.filter((each) => each.reason === reason),
    ),
  )
  const isUnknown = reasons.some((reason) => reason.startsWith('unknown:'))
  const fix = isUnknown ? `Update offshoot if this ${agent.label} is newer; everything else in those sessions is shown.` : null
  const message = `left out or mended while reading: ${withMore(list, reasons.length, '; ')}`
  return [{ id: `${agent.id}.lines`, state: isUnknown ? 'warn' : 'ok', message, fix }]
}

function describe(reason: string, lines: readonly SkippedLines[]): string {
  const count = lines.reduce((sum, each) => sum + each.count, 0)
  const type = reason.replace(/^unknown:/, '')
  const [one, many] = words[reason] ?? [`line of the unknown type "${type}"`, `lines of the unknown type "${type}"`]
  const where = withMore(lines.slice(0, shown).map(addressOf), lines.length)
  return `${countOf(count, one, many)} in ${lines.length === 1 ? where : `${lines.length} sessions (${where})`}`
}

function addressOf({ agent, sessionId }: SkippedLines): string {
  return sessionAddress({ agent, id: sessionId.slice(0, idLength) })
}

function countOf(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`
}

export function withMore(list: readonly string[], total: number, separator = ', '): string {
  const more = total - list.length
  return more > 0 ? `${list.join(separator)} and ${more} more` : list.join(separator)
}
