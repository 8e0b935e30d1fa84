// Nothing here yet: what offshoot can do, and what to do next.
import type { Line, Paint } from '../draw.ts'
import type { TuiState } from '../state.ts'

export function drawFirstRun({ sessions, repository }: TuiState, paint: Paint): readonly Line[] {
  const here = sessions.scope === 'repository' && repository !== null
  const lines = here
    ? [
        `  No ${sessions.agent === null ? '' : `${sessions.agent} `}sessions in this repository yet.`,
        '',
        `  ${paint.bold('s')}  shows those of all repositories`,
        `  ${paint.bold('offshoot start claude')}  starts one here, each of its turns captured`,
      ]
    : [
        `  ${paint.bold('Every turn of every coding-agent session is a place to branch.')}`,
        '',
        '  offshoot reads the sessions that Claude Code and Codex keep on this machine. None were found yet:',
        '  looked in ~/.claude and ~/.codex (or where CLAUDE_CONFIG_DIR and CODEX_HOME say).',
        '',
        `  ${paint.bold('offshoot demo')}           the whole story in a sandbox, no agent needed`,
        `  ${paint.bold('offshoot start claude')}   a session in a workspace of its own`,
        `  ${paint.bold('offshoot hooks install')}  keeps the code of every turn from now on`,
        `  ${paint.bold('offshoot doctor')}         what is installed and what is missing`,
      ]
  return ['', ...lines].map((text) => ({ text }))
}
