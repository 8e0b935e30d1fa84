// What the catalogue keeps of a thread, in one pass over its history or over what was appended since the last time.
import { statSync } from 'node:fs'
import { markFile } from '../../lib/file-mark.ts'
import { isObject } from '../../lib/jsonl.ts'
import { systemText } from '../../lib/system-text.ts'
import { AppError } from '../../model/error.ts'
import type { ParentLink, Turn } from '../../model/session.ts'
import type { SessionFile } from '../agent.ts'
import type { AgentEnv } from '../agent-env.ts'
import type { Base, SessionSummary } from '../reading.ts'
import { countSkipped, type Facts, noFacts, noteFacts } from './facts.ts'
import { basesOf, type History, resolveHistory } from './history.ts'
import { type RolloutRecord, textOrNull } from './lines.ts'
import { type Elsewhere, resumeFrom, saveResume } from './resume.ts'
import { timeOfId } from './rollout-files.ts'
import { pathTo, type Survey, surveyHistory } from './survey.ts'
import { titleOf } from './title.ts'
import { describeTurn, lastState, startMessages } from './turn-state.ts'
import { addUsage, noUsage } from './usage.ts'

export async function summarise(file: SessionFile, env: AgentEnv, previous?: SessionSummary): Promise<SessionSummary> {
  const history = resolveHistory(file.path, env)
  const earlier = previous === undefined ? undefined : resumeFrom(file, history, previous)
  const facts = earlier?.facts ?? noFacts()
  const watch = {
    record: (record: RolloutRecord, own: boolean) => noteFacts(facts, record, own),
    skipped: (reason: string) => countSkipped(facts, reason),
  }
  const scan = earlier === undefined ? {} : { state: earlier.track, from: previous?.mark.offset ?? 0 }
  const survey = await surveyHistory(history, watch, scan)
  const elsewhere = earlier?.elsewhere ?? (await summariseOlder(file, env, survey))
  return describe(file, env, history, survey, facts, elsewhere)
}

function describe(
  file: SessionFile,
  env: AgentEnv,
  history: History,
  survey: Survey,
  facts: Facts,
  elsewhere: Elsewhere,
): SessionSummary {
  const { state } = survey
  const { rows } = state
  const { meta } = history
  const live = pathTo(rows, state.top)
  const liveSet = new Set(live)
  const turns = live.map((row, index) => describeTurn(rows, row, index + 1, lastState(state)))
  const dead = rows.flatMap(({ inherited }, row) => (inherited || liveSet.has(row) ? [] : [row]))
  const inheritedTurns = live.filter((row) => rows[row]?.inherited).length
  const id = textOrNull(meta?.id) ?? file.id
  const createdAt = createdAtOf(history, file, id)
  const { torn: _, ...skipped } = facts.skipped
  const packed = file.path.endsWith('.zst')
  const resumable = !survey.unsettled && !packed
  return {
    id,
    ...titleOf(id, env, facts.name, turns),
    cwd: facts.cwd,
    branch: isObject(meta?.git) ? systemText(meta.git.branch) : null,
    begunIn: systemText(meta?.cwd),
    model: facts.model,
    contextWindow: facts.contextWindow,
    cliVersion: textOrNull(meta?.cli_version),
    createdAt,
    updatedAt: timeOrNull(facts.updatedAt) ?? createdAt,
    usage: rows.reduce((sum, row) => (row.inherited ? sum : addUsage(sum, row.usage)), elsewhere.usage),
    parent: parentOf(history, turns[inheritedTurns - 1]),
    inheritedTurns,
    copied: false,
    messages: turns.reduce((sum, turn) => sum + turn.messages, startMessages(state, live)),
    turns,
    deadTurns: [...dead.map((row) => describeTurn(rows, row, null, 'interrupted')), ...elsewhere.deadTurns],
    broken: survey.damage ?? history.broken ?? whyBroken(facts, history),
    ...(history.isUnsure === true ? { isUnsure: true } : {}),
    builtOn: [...new Map([...basesOf(history), ...elsewhere.builtOn].map((base) => [base.path, base])).values()],
    skipped: facts.skipped,
    mark: markFile(file.path, packed ? statSync(file.path).size : survey.offset),
    // A torn line is read again next time, and counted then.
    resume: resumable ? saveResume(file, history, { track: state, facts: { ...facts, skipped }, elsewhere }) : null,
  }
}

/** A reverted thread has a new file; its id still tells when it was made. */
function createdAtOf({ meta }: History, { olderPaths }: SessionFile, id: string): number | null {
  const recorded = timeOrNull(textOrNull(meta?.timestamp))
  const madeAt = olderPaths.length === 0 ? null : timeOfId(id)
  return madeAt !== null && recorded !== null ? Math.min(madeAt, recorded) : recorded
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

function whyBroken({ isEmpty }: Facts, { meta }: History): string | null {
  if (isEmpty) return 'the file is empty'
  return meta === null ? 'the file does not start with session metadata' : null
}

function timeOrNull(text: string | null): number | null {
  const time = text === null ? Number.NaN : Date.parse(text)
  return Number.isNaN(time) ? null : time
}

/** Turns that only older segments of the thread hold: they were reverted. Their tokens were spent all the same. */
async function summariseOlder({ olderPaths }: SessionFile, env: AgentEnv, { state }: Survey): Promise<Elsewhere> {
  const known = new Set(state.rows.map((row) => row.id))
  const deadTurns: Turn[] = []
  const builtOn: Base[] = []
  let usage = noUsage
  for (const path of olderPaths) {
    const older = await readOlder(path, env)
    builtOn.push(...older.builtOn)
    for (const turn of older.turns) {
      if (known.has(turn.id)) continue
      known.add(turn.id)
      deadTurns.push(turn)
      usage = addUsage(usage, turn.usage ?? noUsage)
    }
  }
  return { deadTurns, usage, builtOn }
}

async function readOlder(path: string, env: AgentEnv): Promise<Pick<Elsewhere, 'builtOn'> & { readonly turns: Turn[] }> {
  try {
    const history = resolveHistory(path, env)
    const { rows } = (await surveyHistory(history, {})).state
    const turns = rows.flatMap((row, index) => (row.inherited ? [] : [describeTurn(rows, index, null, 'interrupted')]))
    return { turns, builtOn: basesOf(history) }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { turns: [], builtOn: [] } // an abandoned branch that cannot be read takes nothing from the live one
  }
}
