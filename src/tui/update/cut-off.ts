// What came in of a turn that was cut off, because the agent died, the connection broke or it was stopped. Agents seldom write a
// half answer to their file (Codex never does), so it is kept here, behind the turn it followed, as far as the file does not hold it.
import type { Message } from '../../model/session.ts'
import type { CutOff, Run, Tab, Transcript } from '../state-tab.ts'
import { idle } from './tabs.ts'

/** What stands in for the file, as one sees it. */
export interface PlacedCutOff {
  /** Behind this message; `null`: at the very start. */
  readonly after: string | null
  readonly messages: readonly Message[]
  readonly note: string
}

/** A turn that ended before its time goes from what runs into what was said. */
export function keepCutOff(tab: Tab, isPlain: boolean): Tab {
  const { run, transcript } = tab
  const wasCut = run.state === 'idle' && (run.outcome === 'failed' || run.outcome === 'interrupted')
  if (!wasCut || run.prompt === null) return tab
  const number = (transcript.cutOffs.at(-1)?.number ?? 0) + 1
  const prompt: Message = { id: '', turnId: '', role: 'user', text: run.prompt, at: null }
  const messages = [prompt, ...run.parts].map((message, at) => ({ ...message, id: `cut:${number}:${at}` }))
  const cutOff = { number, afterTurn: run.afterTurn, messages, ...noteOf(run, tab, isPlain) }
  return { ...tab, run: idle, transcript: { ...transcript, cutOffs: [...transcript.cutOffs, cutOff] } }
}

/** What happened, and what to do about it. */
export function noteOf({ outcome, error }: Run, { agent }: Pick<Tab, 'agent'>, isPlain: boolean): Pick<CutOff, 'what' | 'next'> {
  if (outcome === 'interrupted') return { what: 'Stopped.', next: '' }
  const reason = (error ?? 'the turn failed').trim()
  const what = `Cut off: ${/[.!?]$/.test(reason) ? reason : `${reason}.`}`
  return {
    what,
    next: `Send it again, or ${isPlain ? '/cli' : 'Alt+O'} opens it in ${agent === 'claude' ? 'Claude Code' : 'Codex'}.`,
  }
}

/** Where each stands in what was read, without what the file holds by now. Those whose turn is not here are left out. */
export function placeCutOffs({ cutOffs, messages, turns, from }: Transcript): readonly PlacedCutOff[] {
  return cutOffs.flatMap((cutOff) => {
    const start = messages.findLastIndex(({ turnId }) => turnId === cutOff.afterTurn) + 1
    if (start === 0 && (cutOff.afterTurn !== null || from > 1)) return []
    const placed = place(cutOff, messages, start)
    const turn = turns.find(({ id }) => id === placed.turnId)
    // It came to its end after all.
    if (placed.hasMore && turn?.state === 'complete') return []
    const note = placed.isLast ? `${cutOff.what} ${cutOff.next}`.trim() : cutOff.what
    return [{ after: placed.after, messages: placed.messages, note }]
  })
}

function place({ messages: own }: CutOff, messages: readonly Message[], start: number) {
  const [prompt, ...parts] = own
  const asked = messages.findIndex((message, at) => at >= start && message.role === 'user' && isSaid(message, prompt))
  const turnId = messages[asked]?.turnId ?? null
  // The agent did not even write down what it was asked.
  if (asked === -1) {
    const after = messages[start - 1]?.id ?? null
    return { turnId, messages: own, after, isLast: start === messages.length, hasMore: false }
  }
  const end = messages.findLastIndex((message) => message.turnId === turnId)
  let last = asked
  const left = parts.filter((part) => {
    const at = messages.findIndex((message, index) => index > last && index <= end && isSaid(message, part))
    if (at !== -1) last = at
    return at === -1
  })
  const after = messages[left.length === 0 ? end : last]?.id ?? null
  const grew = (messages[last]?.text.trim().length ?? 0) > (own.at(-1)?.text.trim().length ?? 0)
  return {
    turnId,
    messages: left,
    after,
    isLast: end === messages.length - 1,
    hasMore: left.length === 0 && (end > last || grew),
  }
}

/** The same message, though one side may have more of it. */
function isSaid(message: Message, part: Message | undefined): boolean {
  if (part === undefined) return false
  if (part.tool !== undefined) return message.tool?.callId === part.tool.callId
  const [written, streamed] = [message.text.trim(), part.text.trim()]
  const isSame = written.startsWith(streamed) || (written !== '' && streamed.startsWith(written))
  return message.role === part.role && isSame
}
