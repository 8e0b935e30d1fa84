// Nothing here yet: what offshoot can do, and what to do next.
import { padToWidth } from '../../lib/text/width.ts'
import { wrapText } from '../../lib/text/wrap.ts'
import type { Box, Line, Paint } from '../draw.ts'
import type { KeyTable } from '../keys.ts'
import type { TuiState } from '../state.ts'
import { showKey } from './footer.ts'

type Next = readonly [what: string | null, why: string]

const demo: Next = ['offshoot demo', 'the whole story in a sandbox']
const hooks: Next = ['offshoot hooks install', "keeps each turn's code from now on"]
const doctor: Next = ['offshoot doctor', 'what is installed, what is missing']

export function drawFirstRun(state: TuiState, keys: KeyTable, { columns, rows }: Box, paint: Paint): readonly Line[] {
  const wrapped = (text: string) => wrapText(text, columns - 4).map((line) => `  ${line}`)
  const isNew = state.sessions.elsewhere === 0
  const head = isNew
    ? [
        ...wrapped('Every turn of every coding-agent session is a place to branch.').map(paint.bold),
        '',
        ...wrapped('offshoot reads the sessions of Claude Code and Codex on this machine.'),
        ...wrapped('None were found in ~/.claude and ~/.codex (or where CLAUDE_CONFIG_DIR and CODEX_HOME say).'),
      ]
    : wrapped(noneHere(state))
  const start: Next = [`offshoot start ${state.sessions.agent ?? 'claude'}`, 'a session in its own workspace']
  const next = isNew ? [demo, start, hooks, doctor] : [...filters(state, keys), start, hooks, demo]
  const rowsOfNext = next.flatMap(([what, why]) => (what === null ? [] : [`  ${paint.bold(padToWidth(what, 24))}${why}`]))
  const lines = [...head, '', ...rowsOfNext]
  const all = ['', ...lines]
  // Gaps are the first to go where there is little room.
  return (all.length > rows ? lines.filter((line) => line !== '') : all).map((text) => ({ text }))
}

function noneHere({ sessions, repository }: TuiState): string {
  const whose = sessions.agent === null ? '' : sessions.agent === 'claude' ? 'Claude ' : 'Codex '
  return sessions.scope === 'repository' && repository !== null
    ? `No ${whose}sessions in this repository yet.`
    : `No ${whose}sessions on this machine yet.`
}

/** What is left out by what one has chosen to list, by the keys that change it. */
function filters({ sessions, repository }: TuiState, keys: KeyTable): Next[] {
  const key = (action: 'filter_scope' | 'filter_agent') => {
    const name = keys.keyOf('sessions', action)
    return name === null ? null : showKey(name)
  }
  const count = sessions.elsewhere === 1 ? 'one session' : `${sessions.elsewhere} sessions`
  const isHere = sessions.scope === 'repository' && repository !== null
  return [
    ...(isHere ? [[key('filter_scope'), `${count} of all repositories`] as const] : []),
    ...(sessions.agent === null ? [] : [[key('filter_agent'), 'lists the other agent, or both'] as const]),
  ]
}
