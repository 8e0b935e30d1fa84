// The command lines of Codex. Flags carry their value in one word and stand in front of `--`, so nothing that an id or a prompt
// holds can be taken for a flag or a command.
import type { CommandSpec } from '../../model/fork.ts'
import type { CommandRequest } from '../forking.ts'

/**
 * Keeps the terminal UI of 0.166 from starting a background server that copies itself into CODEX_HOME (436 MB) and holds the
 * thread for a minute after the UI has ended. As a setting and not as `--no-daemon`, which 0.142 refuses; it ignores this.
 */
export const noDaemon = '--config=features.daemon_auto_start=false'

export function commandFor(request: CommandRequest): CommandSpec {
  const { cwd, prompt } = request
  const words = [...targetOf(request), ...(prompt === undefined ? [] : [prompt])]
  const model = request.model === undefined ? [] : [`--model=${request.model}`]
  const flags = [noDaemon, ...model, `--cd=${cwd}`]
  return { argv: ['codex', ...commandOf(request), ...flags, ...(words.length === 0 ? [] : ['--', ...words])], cwd, env: {} }
}

/** A new session has no command: there the prompt follows at once. Codex chooses its id itself. */
function commandOf({ kind }: CommandRequest): string[] {
  return kind === 'start' ? [] : [kind]
}

function targetOf(request: CommandRequest): string[] {
  switch (request.kind) {
    case 'resume':
      return [request.sessionId]
    case 'fork':
      return [request.sourceId]
    case 'start':
      return []
  }
}
