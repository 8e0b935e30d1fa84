// What the catalogue keeps of a thread, in one pass over its history or over what was appended since the last time.
import { statSync } from 'node:fs'
import { markFile, stillHolds } from '../../lib/file-mark.ts'
import { isObject } from '../../lib/jsonl.ts'
import { AppError } from '../../model/error.ts'
import type { ParentLink, Turn, Usage } from '../../model/session.ts'
import type { AgentEnv, SessionFile, SessionSummary } from '../agent.ts'
import { type History, resolveHistory } from './history.ts'
import { type RolloutRecord, textOrNull } from './lines.ts'
import { pathTo, type Survey, surveyHistory } from './survey.ts'
import { titleOf } from './title.ts'
import { describeTurn, lastState, startMessages } from './turn-table.ts'
import type { TrackState } from './turns.ts'
import { addUsage, noUsage } from './usage.ts'

/** What the lines say of the session as a whole, besides its turns. */
interface Facts {
  cwd: string | null
  model: string | null
  name: string | null
  /** Newest time of its own lines, as written: ISO times in UTC compare as text. */
  updatedAt: string | null
  lines: number
  skipped: Record<string, number>
}

interface Resume {
  readonly format: 1
  /** Prompts are left out: they stand in the summary's turns already. */
  readonly track: TrackState
  readonly facts: Facts
  readonly bases: readonly string[]
  readonly olderPaths: readonly string[]
  readonly deadElsewhere: readonly Turn[]
  readonly usageElsewhere: Usage
}

export async function summarise(file: SessionFile, env: AgentEnv, previous?: SessionSummary): Promise<SessionSummary> {
  try {
    const history = resolveHistory(file.path, env)
    const earlier = previous === undefined ? undefined : resumeFrom(file, history, previous)
    const facts = earlier?.facts ?? noFacts()
    const watch = {
      record: (record: RolloutRecord, own: boolean) => noteFacts(facts, record, own),
      skipped: countIn(facts.skipped),
    }
    const scan = earlier === undefined ? {} : { state: earlier.track, from: previous?.mark.offset ?? 0 }
    const survey = await surveyHistory(history, watch, scan)
    const known = new Set(survey.state.rows.map((row) => row.id))
    const elsewhere = earlier ?? (await summariseOlder(file, env, known))
    return describe(file, env, history, survey, facts, elsewhere)
  } catch (error) {
    if (error instanceof AppError || !(error instanceof Error) || !('code' in error)) throw error
    throw new AppError('unreadable', `${file.path} cannot be read: ${error.message}`, { cause: error })
  }
}

function describe(
  file: SessionFile,
  env: AgentEnv,
  history: History,
  survey: Survey,
  facts: Facts,
  elsewhere: Pick<Resume, 'deadElsewhere' | 'usageElsewhere'>,
): SessionSummary {
  const { state } = survey
  const { rows } = state
  const live = pathTo(rows, state.top)
  const liveSet = new Set(live)
  const turns = live.map((row, index) => describeTurn(rows, row, index + 1, lastState(state)))
  const dead = rows.flatMap((row, index) =>
    liveSet.has(index) || row.inherited ? [] : [describeTurn(rows, index, null, 'interrupted')],
  )
  const inherited = live.filter((row) => rows[row]?.inherited).length
  const meta = history.meta
  const id = textOrNull(meta?.id) ?? file.id
  const git = isObject(meta?.git) ? meta.git : {}
  const skipped = { ...facts.skipped }
  const createdAt = textOrNull(meta?.timestamp)
  const packed = file.path.endsWith('.zst')
  const resumable = !survey.unsettled && !packed
  delete facts.skipped.torn
  return {
    id,
    ...titleOf(id, env, facts.name, turns),
    cwd: facts.cwd,
    branch: textOrNull(git.branch),
    model: facts.model,
    cliVersion: textOrNull(meta?.cli_version),
    createdAt: timeOrNull(createdAt),
    updatedAt: timeOrNull(facts.updatedAt) ?? timeOrNull(createdAt),
    usage: rows.reduce((sum, row) => (row.inherited ? sum : addUsage(sum, row.usage)), elsewhere.usageElsewhere),
    parent: parentOf(history, turns[inherited - 1]),
    inheritedTurns: inherited,
    copied: false,
    messages: turns.reduce((sum, turn) => sum + turn.messages, startMessages(state, live)),
    turns,
    deadTurns: [...dead, ...elsewhere.deadElsewhere],
    broken: survey.damage ?? history.broken ?? whyBroken(facts, meta),
    skipped,
    mark: markFile(file.path, packed ? statSync(file.path).size : survey.offset),
    resume: resumable ? saveResume(file, history, state, facts, elsewhere) : null,
  }
}

function parentOf(history: History, last: Turn | undefined): ParentLink | null {
  const sessionId = textOrNull(history.meta?.forked_from_id)
  if (sessionId === null) return null
  if (last !== undefined) {
    const { id, number, lastMessageId } = last
    return { agent: 'codex', sessionId, turnId: id, turnNumber: number, messageId: lastMessageId, kind: 'native' }
  }
  // A fork before the first turn refers to no base.
  const turnNumber = history.broken === null ? 0 : null
  return { agent: 'codex', sessionId, turnId: null, turnNumber, messageId: null, kind: 'native' }
}

function whyBroken(facts: Facts, meta: History['meta']): string | null {
  if (facts.lines === 0) return 'the file is empty'
  return meta === null ? 'the file does not start with session metadata' : null
}

function noFacts(): Facts {
  return { cwd: null, model: null, name: null, updatedAt: null, lines: 0, skipped: {} }
}

function noteFacts(facts: Facts, record: RolloutRecord, own: boolean): void {
  facts.lines += 1
  const { timestamp, type } = record
  if (own && timestamp !== null && (facts.updatedAt === null || timestamp > facts.updatedAt)) facts.updatedAt = timestamp
  if (type === 'turn_context' || (type === 'session_meta' && own && facts.cwd === null)) {
    facts.cwd = (own ? textOrNull(record.payload?.cwd) : null) ?? facts.cwd
    facts.model = textOrNull(record.payload?.model) ?? facts.model
  } else if (type === 'event_msg' && record.subtype === 'thread_name_updated' && own) {
    facts.name = textOrNull(record.payload?.thread_name) ?? facts.name
  }
}

function countIn(skipped: Record<string, number>): (reason: string) => void {
  return (reason) => {
    skipped[reason] = (skipped[reason] ?? 0) + 1
  }
}

function timeOrNull(text: string | null): number | null {
  const time = text === null ? Number.NaN : Date.parse(text)
  return Number.isNaN(time) ? null : time
}

/** Turns that only older segments of the thread hold: they were reverted. */
async function summariseOlder(file: SessionFile, env: AgentEnv, known: Set<string>) {
  const deadElsewhere: Turn[] = []
  let usageElsewhere = noUsage
  for (const path of file.olderPaths) {
    try {
      const { state } = await surveyHistory(resolveHistory(path, env), {})
      for (const [index, row] of state.rows.entries()) {
        if (known.has(row.id) || row.inherited) continue
        known.add(row.id)
        deadElsewhere.push(describeTurn(state.rows, index, null, 'interrupted'))
        usageElsewhere = addUsage(usageElsewhere, row.usage)
      }
    } catch (error) {
      if (!(error instanceof Error && 'code' in error)) throw error
    }
  }
  return { deadElsewhere, usageElsewhere }
}

function saveResume(
  file: SessionFile,
  history: History,
  state: TrackState,
  facts: Facts,
  elsewhere: Pick<Resume, 'deadElsewhere' | 'usageElsewhere'>,
): Resume {
  return {
    format: 1,
    track: { ...state, rows: state.rows.map((row) => ({ ...row, prompt: '' })) },
    facts,
    bases: history.parts.map((part) => part.path),
    olderPaths: file.olderPaths,
    deadElsewhere: elsewhere.deadElsewhere,
    usageElsewhere: elsewhere.usageElsewhere,
  }
}

/** What was saved last time, if the file only grew since and its surroundings are the same. */
function resumeFrom(file: SessionFile, history: History, previous: SessionSummary): Resume | undefined {
  const saved = previous.resume
  if (!isObject(saved) || saved.format !== 1) return undefined
  const resume = structuredClone(saved) as unknown as Resume
  const same = (a: readonly string[], b: readonly string[]) =>
    a.length === b.length && a.every((path, index) => path === b[index])
  const bases = history.parts.map((part) => part.path)
  if (!same(resume.bases, bases) || !same(resume.olderPaths, file.olderPaths)) return undefined
  if (previous.broken !== null || !stillHolds(file.path, previous.mark)) return undefined
  const prompts = new Map([...previous.turns, ...previous.deadTurns].map((turn) => [turn.id, turn.prompt]))
  for (const row of resume.track.rows) row.prompt = prompts.get(row.id) ?? ''
  return resume
}
