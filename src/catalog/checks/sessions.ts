// How well the agents' files could be read: files with problems, sessions that lack part of their history, lines left out.
import { statSync } from 'node:fs'
import type { Agent } from '../../agents/agent.ts'
import type { Check } from '../../model/catalog.ts'
import type { StoredSession } from '../../store/sessions.ts'
import type { CatalogContext } from '../context.ts'
import type { RefreshOutcome } from '../refresh.ts'
import { checkLines, withMore } from './lines.ts'

const shown = 5

export function checkSessions(context: CatalogContext, { problems }: RefreshOutcome): Check[] {
  const sessions = context.store().sessions.list()
  const skipped = context.store().skipped.all()
  return context.agents.flatMap((agent) => {
    const folder = agent.sessionsFolder(context.env)
    const own = sessions.filter((session) => session.agent === agent.id)
    return [
      checkFolder(agent, folder, own.length),
      ...checkProblems(
        agent,
        problems.filter(({ path }) => path.startsWith(parentOf(folder))),
      ),
      ...checkBroken(agent, own),
      ...checkLines(
        agent,
        skipped.filter((each) => each.agent === agent.id),
      ),
    ]
  })
}

function checkFolder(agent: Agent, folder: string, count: number): Check {
  const id = `${agent.id}.sessions`
  const stat = statSync(folder, { throwIfNoEntry: false })
  if (stat === undefined) return { id, state: 'ok', message: `no sessions: ${folder} does not exist`, fix: null }
  if (!stat.isDirectory()) return { id, state: 'fail', message: `${folder} is not a folder`, fix: `Move ${folder} away.` }
  return { id, state: 'ok', message: `${count} ${count === 1 ? 'session' : 'sessions'} in ${folder}`, fix: null }
}

function checkProblems(agent: Agent, problems: RefreshOutcome['problems']): Check[] {
  if (problems.length === 0) return []
  const list = problems.slice(0, shown).map(({ path, problem }) => `${path}: ${problem}`)
  const message = `${problems.length} not readable: ${withMore(list, problems.length, '; ')}`
  return [{ id: `${agent.id}.files`, state: 'warn', message, fix: 'Check their permissions; all other sessions are listed.' }]
}

function checkBroken(agent: Agent, sessions: readonly StoredSession[]): Check[] {
  const broken = sessions.filter((session) => session.broken !== null)
  if (broken.length === 0) return []
  const list = broken.slice(0, shown).map((session) => `${session.id} (${session.broken})`)
  const message = `${broken.length} lack part of their history: ${withMore(list, broken.length)}`
  return [
    {
      id: `${agent.id}.history`,
      state: 'warn',
      message,
      fix: 'Bring back the file they were forked from, if there is a backup.',
    },
  ]
}

function parentOf(folder: string): string {
  return folder.slice(0, folder.lastIndexOf('/') + 1)
}
