// The command line of a headless conversation. Every value stands in one word with its flag, so that none can be taken for a
// flag; prompts, and what the environment adds, never stand here.
import type { ConversationRequest } from '../runs.ts'
import { modeFlags, type PermissionModes } from './permission-mode.ts'

const machineFlags = [
  '-p',
  '--input-format=stream-json',
  '--output-format=stream-json',
  '--verbose',
  '--include-partial-messages',
  '--replay-user-messages',
  '--permission-prompt-tool=stdio',
]

/** offshoot decides what is asked for, so everything has to be asked for: the user's `defaultMode` may let things pass. */
const modes: PermissionModes = { ask: 'default', accept_edits: 'acceptEdits', allow_list: 'default', deny: 'default' }

export function headlessFlags({ begin, title, model, mcpConfig, policy, flags }: ConversationRequest): string[] {
  return [
    ...machineFlags,
    ...beginFlags(begin),
    // Resuming under another name would rename the person's session.
    ...(title === undefined || title === '' || begin.kind === 'resume' ? [] : [`--name=${title}`]),
    ...(model === null ? [] : [`--model=${model}`]),
    ...(mcpConfig === null ? [] : [`--mcp-config=${mcpConfig}`]),
    ...modeFlags(policy, modes),
    ...flags,
  ]
}

export function beginFlags(begin: ConversationRequest['begin']): string[] {
  switch (begin.kind) {
    case 'start':
      return [`--session-id=${begin.sessionId}`]
    case 'resume':
      return [`--resume=${begin.sessionId}`]
    case 'fork':
      return [`--resume=${begin.sourceId}`, '--fork-session', `--session-id=${begin.sessionId}`]
  }
}
