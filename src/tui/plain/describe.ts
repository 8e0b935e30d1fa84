// Where one is, in words: lists with numbers, nothing drawn, nothing that only a colour or a place on the screen would say.
import { cleanLine, cleanText } from '../../lib/text/clean.ts'
import { timeAgo } from '../../lib/text/time.ts'
import type { CatalogSession } from '../../model/catalog.ts'
import type { AgentId, Message } from '../../model/session.ts'
import type { TuiState } from '../state.ts'
import type { Tab } from '../state-tab.ts'
import { briefArguments } from '../text/layout.ts'
import { placeCutOffs } from '../update/cut-off.ts'
import { isSeed } from '../update/transcript.ts'
import { plainWords } from './words.ts'

/** Read out in one go; `/more` goes on. */
export const listedAtOnce = 20
const longestTitle = 120
const mostLines = 300

export function agentName(agent: AgentId): string {
  return agent === 'claude' ? 'Claude' : 'Codex'
}

export function describeWords(): string[] {
  const takes = (word: (typeof plainWords)[number]) =>
    'takes' in word ? ` ${word.takes.startsWith('number') ? 'number' : 'words'}` : ''
  return [
    'Words of the plain mode:',
    ...plainWords.map((each) => `/${each.word}${takes(each)}: ${each.note}`),
    'In the list a number opens a session, other words search. In a session what you type goes to the agent.',
    'A line that ends in a backslash goes on with the next one. Lines pasted together are one prompt.',
    'Control C stops the turn, twice leaves. Control D leaves.',
  ]
}

export function describeSessions({ sessions, repository, index, now }: TuiState): string[] {
  const where = sessions.scope === 'all' || repository === null ? 'all repositories' : cleanLine(repository.name)
  const whose = sessions.agent === null ? 'Claude and Codex' : agentName(sessions.agent)
  const searched = sessions.results === null ? null : cleanLine(sessions.query?.text ?? '')
  const { top } = sessions
  const rows =
    sessions.results?.map(({ session, turn, snippet }) => {
      const at = turn?.number == null ? '' : `, found at turn ${turn.number}: ${cleanLine(snippet.text).slice(0, 200)}`
      return `${describeSession(session, now)}${at}`
    }) ?? sessions.items.map((session) => describeSession(session, now))
  const shown = rows.slice(top, top + listedAtOnce).map((row, at) => `${top + at + 1}. ${row}`)
  const left = rows.length - top - shown.length
  const head = searched === null ? `Sessions of ${where}, ${whose}: ${rows.length}.` : `Found for "${searched}": ${rows.length}.`
  const indexing =
    index !== null && !index.complete
      ? [`The search index has ${index.indexedSessions} of ${index.sessions} sessions so far.`]
      : []
  if (rows.length === 0) return [head, ...indexing, ...notesOf(sessions.notes), ...describeNone(sessions, where)]
  return [
    head,
    ...indexing,
    ...notesOf(sessions.notes),
    ...shown,
    ...(left > 0 ? [`And ${left} more: /more reads on.`] : []),
    'Type a number to open one, words to search, /fork and a number to fork, or /help.',
  ]
}

function notesOf(notes: readonly string[]): string[] {
  return notes.map((note) => `Note: ${cleanLine(note)}`)
}

function describeNone({ results, elsewhere, agent }: TuiState['sessions'], where: string): string[] {
  if (results !== null) return ['Nothing here is about that. Try other words, or /scope for all repositories.']
  return [
    `No sessions were found in ${where}.`,
    ...(elsewhere > 0
      ? [
          `There are ${elsewhere} in all: /scope lists all repositories${agent === null ? '' : ', /agent those of the other agent'}.`,
        ]
      : []),
    'offshoot reads the sessions that Claude Code and Codex keep on this machine.',
    'Try: offshoot demo, the whole story in a sandbox; offshoot start claude, a session of your own; offshoot doctor, what is missing.',
  ]
}

function describeSession(session: CatalogSession, now: number): string {
  const facts = [
    agentName(session.agent),
    ...(session.live ? ['running now'] : []),
    timeAgo(session.updatedAt, now),
    countTurns(session.turns),
    ...(session.branch === null ? [] : [`branch ${cleanLine(session.branch)}`]),
  ]
  return sentence(called(session), facts.join(', '))
}

/** The person's own name for it first. */
export function called({ title, label }: { readonly title: string; readonly label?: string | null }): string {
  return label == null ? title : `${label}, ${title}`
}

export function titleOf(title: string): string {
  return cleanLine(title).slice(0, longestTitle).replace(/\.$/, '') || 'No prompt'
}

/** A title and what follows it, apart when read out. */
export function sentence(title: string, more: string): string {
  const text = titleOf(title)
  return `${text}${/[.?!:]$/.test(text) ? '' : '.'} ${more}`
}

export function countTurns(turns: number): string {
  return `${turns} ${turns === 1 ? 'turn' : 'turns'}`
}

export function describeTabs({ tabs, shown }: TuiState): string[] {
  if (tabs.length === 0) return ['No session is open.']
  const states = {
    idle: '',
    sending: ', at work',
    running: ', at work',
    waiting: ', waits for an answer',
    interrupting: ', stopping',
  }
  return tabs.map((tab, at) => {
    const here = tab.id === shown ? ', you are here' : ''
    const news = tab.unread ? ', with news' : ''
    return `${at + 1}. ${titleOf(called(tab))}, ${agentName(tab.agent)}${states[tab.run.state]}${news}${here}`
  })
}

/** The session, its last turn, and what to do next. */
export function describeTab(tab: Tab): string[] {
  const { transcript } = tab
  const branch = tab.branch === null ? '' : `, branch ${cleanLine(tab.branch)}`
  if (transcript.loading && transcript.messages.length === 0) return [`Opening ${titleOf(tab.title)} ...`]
  const head = `Session ${sentence(called(tab), `${agentName(tab.agent)}, ${countTurns(transcript.turns.length)}${branch}.`)}`
  if (transcript.problem !== null) return [head, `Error: ${cleanLine(transcript.problem)}`]
  return [
    head,
    ...describeTurns(tab, 1),
    ...transcript.system.map(({ text }) => text),
    ...describeWaiting(tab),
    `Type what you want ${agentName(tab.agent)} to do, /back to step back, /fork to fork, or /help.`,
  ]
}

/** The prompt a fork was made at, or one that could not be sent. */
export function describeWaiting({ composer }: Tab): string[] {
  const text = cleanText(composer.draft.text)
  return text === '' ? [] : [`Waiting to be sent: ${text}`, 'An empty line sends it, other words take its place.']
}

export function describeTurns(tab: Tab, count: number): string[] {
  const { transcript, dropped } = tab
  const read = transcript.turns.filter(({ number }) => number !== null && number >= transcript.from)
  const last = read.slice(-count)
  const ids = new Set(last.map(({ id }) => id))
  const more =
    count > read.length && transcript.from > 1 ? [`${countTurns(transcript.from - 1)} before these: /earlier reads them in.`] : []
  const messages = transcript.messages.filter(({ id, turnId }) => ids.has(turnId) && id !== dropped)
  const cutOffs = placeCutOffs(transcript)
  const cutBehind = (id: string | null) =>
    cutOffs
      .filter(({ after }) => after === id)
      .flatMap((cut) => [...cut.messages.flatMap((message) => describeMessage(message, tab.agent)), cleanLine(cut.note)])
  return [...more, ...messages.flatMap((message) => [...describeMessage(message, tab.agent), ...cutBehind(message.id)])]
}

export function describeTools(tab: Tab): string[] {
  const turn = tab.transcript.turns.findLast(({ number }) => number !== null)
  const calls = tab.transcript.messages.filter(({ turnId, tool }) => turnId === turn?.id && tool !== undefined)
  if (calls.length === 0) return ['The last turn called no tools.']
  return calls.flatMap((message) => [
    ...describeMessage(message, tab.agent),
    readable(message.tool?.output ?? '') || 'It printed nothing.',
  ])
}

/** As much as anybody listens to: what is left out is counted. */
export function readable(text: string): string {
  const lines = cleanText(text).trimEnd().split('\n')
  const left = lines.length - mostLines
  return left <= 0 ? lines.join('\n') : `${lines.slice(0, mostLines).join('\n')}\nAnd ${left} more lines that are not read out.`
}

export function describeMessage(message: Message, agent: AgentId): string[] {
  const { role, text, tool } = message
  const clean = cleanText(text).trim()
  switch (role) {
    case 'user':
      return [isSeed(message) ? `Context of the fork, ${text.length} characters.` : `You: ${clean}`]
    case 'assistant':
      return clean === '' ? [] : [`${agentName(agent)}: ${clean}`]
    case 'tool':
      return tool === undefined ? [] : [`${describeCall(tool)}. ${describeEnd(tool)}`]
    case 'summary':
      return [`Summary of what came before, ${text.length} characters.`]
    case 'error':
      return [`Error: ${clean}`]
    case 'system':
      return [`System: ${clean}`]
  }
}

export function describeCall({ name, arguments: given }: NonNullable<Message['tool']>): string {
  const brief = cleanLine(briefArguments(given))
  return `Tool ${cleanLine(name)}${brief === '' ? '' : `: ${brief}`}`
}

export function describeEnd({ output, exitCode, failed }: NonNullable<Message['tool']>): string {
  if (output === null && failed === null) return 'It has not ended.'
  if (failed !== true) return 'It is done.'
  return exitCode ? `It failed with exit code ${exitCode}.` : 'It failed.'
}

/** The messages one can fork at, oldest first, with what a fork there keeps. */
export function describeStops(tab: Tab): string[] {
  const { backtrack, transcript } = tab
  if (backtrack === null) return []
  const rows = backtrack.stops.map((stop, at) => {
    const message = transcript.messages.find(({ id }) => id === stop)
    const turn = transcript.turns.findIndex(({ id }) => id === message?.turnId)
    const kept = turn + (message?.role === 'user' ? 0 : 1)
    const code = transcript.turns[turn]?.snapshot == null ? 'code not captured' : 'code captured'
    const who = message?.role === 'user' ? 'You' : agentName(tab.agent)
    const facts = `keeps ${countTurns(kept)}, drops ${transcript.turns.length - kept}, ${code}`
    return `${at + 1}. ${who}: ${sentence(message?.text ?? '', `A fork here ${facts}.`)}`
  })
  const before = transcript.from > 1 ? [`${countTurns(transcript.from - 1)} before these: /earlier reads them in.`] : []
  return [
    'Step back: messages to fork at, oldest first.',
    ...before,
    ...rows,
    'Type the number of the message to fork at, or /cancel. A fork at a prompt of yours ends before it.',
  ]
}
