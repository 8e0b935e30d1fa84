// Our title of a session beside the SDK's, which is its own custom or AI title, else what it finds at the end of the file, else the
// first prompt.
import { readFileSync } from 'node:fs'
import type { App } from '../../src/app.ts'
import type { CatalogSession } from '../../src/model/catalog.ts'
import type { Turn } from '../../src/model/session.ts'
import type { Report } from './report.ts'
import type { SdkSession } from './sdk.ts'

interface Titles {
  readonly session: CatalogSession
  readonly ours: string
  readonly theirs: string
  readonly turns: readonly Turn[]
}

interface TitleKind {
  readonly name: string
  readonly reason: string
  readonly applies: (titles: Titles) => boolean
}

/** The first that applies explains the difference. */
export const titleKinds: readonly TitleKind[] = [
  {
    name: 'shortened title',
    reason: 'A prompt is cut to one line of 80 characters.',
    applies: ({ ours, theirs }) => theirs.startsWith(ours.replace(/…$/, '')),
  },
  {
    name: 'summary line of the session',
    reason: 'Older versions wrote titles as summary lines; one that is about a line of this file is taken wherever it stands.',
    applies: ({ session }) => session.titleFrom === 'ai',
  },
  {
    name: 'summary line of another session',
    reason:
      'Older versions wrote titles of other sessions into the file; the SDK takes the last one, we those about this session.',
    applies: ({ session, theirs }) =>
      readFileSync(session.path, 'utf8').includes(`{"type":"summary","summary":${JSON.stringify(theirs)}`),
  },
  {
    name: 'first prompt not live',
    reason:
      'The first prompt of the file was taken back, or the agent no longer knows it; the title is the first one it does know.',
    applies: ({ theirs, turns }) =>
      turns.some(({ number, prompt }) => number === null && squeeze(prompt).startsWith(theirs.replace(/…$/, ''))),
  },
  {
    name: 'command',
    reason: 'A command is a prompt of the user with its arguments; the SDK leaves out the arguments, or the command.',
    applies: ({ ours }) => ours.startsWith('/'),
  },
  {
    name: 'part of the first prompt',
    reason: 'What tools put in front of the first prompt is no title.',
    applies: ({ ours, turns }) => squeeze(turns[0]?.prompt ?? '').includes(ours.replace(/…$/, '')),
  },
]

export async function checkTitle(
  app: App,
  session: CatalogSession,
  listed: SdkSession | undefined,
  report: Report,
): Promise<void> {
  const check = 'titles, as the SDK lists them'
  if (listed === undefined) return report.note(check, session.id, { problem: `the SDK does not list "${session.title}"` })
  const [ours, theirs] = [squeeze(session.title), squeeze(listed.summary)]
  if (ours === theirs) return report.note(check, session.id, {})
  const turns = await app.listTurns(session, { deadBranches: true, refresh: false })
  const kind = titleKinds.find(({ applies }) => applies({ session, ours, theirs, turns }))
  report.note(check, session.id, kind === undefined ? { problem: `"${ours}", not "${theirs}"` } : { kinds: [kind.name] })
}

function squeeze(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}
