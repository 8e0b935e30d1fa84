// The command line of a headless conversation. Every value stands in one word with its flag, so that none can be taken for a
// flag; prompts, and what the environment adds, never stand here.
import type { ConversationRequest } from '../runs.ts'

const machineFlags = [
  '-p',
  '--input-format=stream-json',
  '--output-format=stream-json',
  '--verbose',
  '--include-partial-messages',
  '--replay-user-messages',
  '--permission-prompt-tool=stdio',
]

export function headlessFlags({ begin, title, model, mcpConfig, acceptEdits, flags }: ConversationRequest): string[] {
  return [
    ...machineFlags,
    ...beginFlags(begin),
    // Resuming under another name would rename the person's session.
    ...(title === undefined || title === '' || begin.kind === 'resume' ? [] : [`--name=${title}`]),
    ...(model === null ? [] : [`--model=${model}`]),
    ...(mcpConfig === null ? [] : [`--mcp-config=${mcpConfig}`]),
    ...(acceptEdits ? ['--permission-mode=acceptEdits'] : []),
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
