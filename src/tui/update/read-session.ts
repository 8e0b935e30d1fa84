// What was read of a session's file, taken into its tab.
import type { TuiEvent } from '../events.ts'
import type { Anchor, Run, Tab, Transcript } from '../state-tab.ts'
import { stopsOf } from './backtrack.ts'
import { lastLive, withTranscript } from './change-transcript.ts'
import { keepCutOff, placeCutOffs } from './cut-off.ts'
import { idle } from './tabs.ts'
import { isBehindGap, withGrowth } from './transcript.ts'

type Read = Extract<TuiEvent, { kind: 'session_opened' | 'session_grew' }>

/** The file is the truth: it takes the place of what was streamed. */
export function readInto(before: Tab, event: Read, isPlain: boolean): Tab {
  const tab = keepCutOff(before, isPlain)
  const hasGap = isBehindGap(tab.transcript, event.from)
  // One reads far above what has come: it is there when one gets to it.
  if (hasGap && event.kind === 'session_grew')
    return { ...tab, ...seenIn(event, tab), transcript: { ...tab.transcript, turns: event.turns } }
  const first = event.kind === 'session_opened' && tab.transcript.messages.length === 0
  const read = withGrowth(tab.transcript, event.from, event.messages, event.turns)
  const last = event.messages.at(-1)?.id ?? null
  const system = first ? read.system.map((line) => ({ ...line, after: line.after ?? last })) : read.system
  const run = readRun(tab.run, first ? (lastLive(event)?.id ?? null) : null)
  const next = { ...tab, ...seenIn(event, tab), ...acknowledged(tab, event), run }
  // One went to the end from far above.
  if (hasGap) return enterAgain(before, withTranscript(next, { ...read, system, scroll: 0, anchor: null, reveal: false }))
  const anchor = moveAnchor(read, before, event)
  return atNewest(before, withTranscript(next, { ...read, system, anchor }))
}

function seenIn({ session }: Read, { cwd }: Tab): Pick<Tab, 'title' | 'label' | 'branch' | 'modelSeen' | 'cwd'> {
  const { title, label = null, branch, model: modelSeen } = session
  return { title, label, branch, modelSeen, cwd: session.cwd ?? cwd }
}

/** Escape far above the end: one steps back from the newest message, which is here now. */
function enterAgain({ backtrack }: Tab, next: Tab): Tab {
  const stops = stopsOf(next)
  return backtrack === null || stops.length === 0 ? next : { ...next, backtrack: { ...backtrack, stops, at: stops.length - 1 } }
}

/** What was streamed makes way. One that began before anything was read follows what was there. */
function readRun(run: Run, newest: string | null): Run {
  if (run.state === 'idle') return { ...idle, outcome: run.outcome, error: run.error }
  return run.afterTurn === null && newest !== null ? { ...run, afterTurn: newest } : run
}

/** Escape right behind an answer that was streamed entered at the one before it, as far as the file was read: it goes to that answer. */
function atNewest({ backtrack: before, run }: Tab, next: Tab): Tab {
  const { backtrack } = next
  if (backtrack === null || before === null || run.state !== 'idle' || run.parts.length === 0) return next
  const isUnmoved = before.presses.length === 1 && before.at === before.stops.length - 1
  return isUnmoved ? { ...next, backtrack: { ...backtrack, at: backtrack.stops.length - 1 } } : next
}

/**
 * The session was rewound and went on: turns before those that were read are others now. Gives the first of them, `null`: none.
 * What is before the window is read when it is scrolled to.
 */
export function findMissed(transcript: Transcript, { turns, from }: Pick<Read, 'turns' | 'from'>): number | null {
  const known = new Set(transcript.turns.map(({ id }) => id))
  const until = Math.min(from, (transcript.to ?? from) + 1)
  const missed = turns.find(({ id, number }) => number !== null && number >= transcript.from && number < until && !known.has(id))
  return missed?.number ?? null
}

/** One was reading what streamed in: it goes on in the messages that take its place. */
function moveAnchor(read: Transcript, { run, transcript }: Tab, { messages, turns }: Read): Anchor | null {
  const { anchor } = read
  if (anchor?.id !== 'run' || run.state !== 'idle') return anchor
  const cut = read.cutOffs.length > transcript.cutOffs.length ? placeCutOffs(read).at(-1) : undefined
  // With its prompt: nothing of that turn is in the file.
  const unwritten = cut?.messages.find(({ role }) => role === 'user')
  const turn = lastLive({ turns })
  const first = unwritten ?? messages.find(({ turnId }) => turnId === turn?.id)
  return first === undefined ? anchor : { ...anchor, id: first.id }
}

/** IN6: the first answer after a seed is dropped once, keyed to the fork this tab has just made; over with that turn. */
function acknowledged({ forkSeedId, dropped }: Tab, { messages, turns }: Read): Pick<Tab, 'forkSeedId' | 'dropped'> {
  const [seed] = turns
  if (forkSeedId === null || seed === undefined) return { forkSeedId, dropped }
  const first = messages.find(({ role, text, turnId }) => role === 'assistant' && text !== '' && turnId === seed.id)
  if (first !== undefined) return { forkSeedId: null, dropped: first.id }
  return { forkSeedId: seed.state === 'running' ? forkSeedId : null, dropped }
}
