// The command lines of Claude Code. Flags carry their value in one word (`--resume=<id>`) and the prompt stands behind `--`,
// so nothing a prompt or an id holds can be taken for a flag.
import type { CommandSpec } from '../../model/fork.ts'
import type { CommandRequest } from '../forking.ts'

export function commandFor(request: CommandRequest): CommandSpec {
  const prompt = request.prompt === undefined ? [] : ['--', request.prompt]
  const { model, prefill } = request
  const settings = [
    ...(model === undefined ? [] : [`--model=${model}`]),
    // Hidden from `--help`; tried on 2.1.197 and 2.1.325.
    ...(prefill === undefined ? [] : [`--prefill=${prefill}`]),
  ]
  return { argv: ['claude', ...flagsFor(request), ...settings, ...prompt], cwd: request.cwd, env: {} }
}

function flagsFor(request: CommandRequest): string[] {
  switch (request.kind) {
    case 'resume':
      return [`--resume=${request.sessionId}`]
    case 'fork':
      return [`--resume=${request.sourceId}`, '--fork-session', `--session-id=${request.sessionId}`]
    case 'start':
      return request.sessionId === null ? [] : [`--session-id=${request.sessionId}`]
  }
}
