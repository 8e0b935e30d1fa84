// Nothing here yet: what offshoot can do, and what to do next.
import { wrapText } from '../../lib/text/wrap.ts'
import type { Box, Line, Paint } from '../draw.ts'
import type { TuiState } from '../state.ts'

export function drawFirstRun({ sessions, repository }: TuiState, { columns, rows }: Box, paint: Paint): readonly Line[] {
  const here = sessions.scope === 'repository' && repository !== null
  const wrapped = (text: string) => wrapText(text, columns - 4).map((line) => `  ${line}`)
  const lines = here
    ? [
        `  No ${sessions.agent === null ? '' : `${sessions.agent} `}sessions in this repository yet.`,
        '',
        `  ${paint.bold('s')}                      shows those of all repositories`,
        `  ${paint.bold('offshoot start claude')}  starts one, its turns captured`,
      ]
    : [
        ...wrapped('Every turn of every coding-agent session is a place to branch.').map(paint.bold),
        '',
        ...wrapped('offshoot reads the sessions of Claude Code and Codex on this machine.'),
        ...wrapped('None were found in ~/.claude and ~/.codex (or where CLAUDE_CONFIG_DIR and CODEX_HOME say).'),
        '',
        `  ${paint.bold('offshoot demo')}           the whole story in a sandbox`,
        `  ${paint.bold('offshoot start claude')}   a session in its own workspace`,
        `  ${paint.bold('offshoot hooks install')}  keeps each turn's code from now on`,
        `  ${paint.bold('offshoot doctor')}         what is installed, what is missing`,
      ]
  const all = ['', ...lines]
  // Gaps are the first to go where there is little room.
  return (all.length > rows ? lines.filter((line) => line !== '') : all).map((text) => ({ text }))
}
