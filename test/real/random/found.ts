// Shrunk scripts of disagreements that the driver has found, each fixed since. They are run again with the whole matrix.
import type { AgentName } from './drive.ts'

export interface Found {
  readonly agent: AgentName
  readonly script: string
  /** What must be true. */
  readonly fact: string
}

export const found: readonly Found[] = [
  {
    agent: 'claude-2.1.325',
    script: 'hooks open tool compact tool tool',
    fact: 'the newest turns are live with hooks installed, in a terminal that was compacted',
  },
  {
    agent: 'claude-2.1.197',
    script: 'open plain exit compact',
    fact: 'a line that hangs on what a compaction kept is behind the compaction',
  },
  {
    agent: 'claude-2.1.325',
    script: 'open plain plain compact plain summarise-from:1 plain branch',
    fact: 'a branch of a session compacted twice has the turns before the compactions',
  },
  {
    agent: 'claude-2.1.325',
    script: 'open plain plain plain summarise-up-to:1 plain branch',
    fact: 'a branch of a session summarised up to a prompt has the kept turns',
  },
  {
    agent: 'claude-2.1.325',
    script: 'open begin-tool steer interrupt',
    fact: 'an interrupted turn stays interrupted when a prompt typed ahead is answered after it',
  },
  {
    agent: 'claude-2.1.197',
    script: 'plain:1 refresh open:6 exit open:1 fork:784 compact',
    fact: 'a compaction that kept a line written only behind it has the turns before it',
  },
  {
    agent: 'claude-2.1.325',
    script: 'plain begin-answer interrupt open summarise-up-to',
    fact: 'the words that closed an interrupted turn are sent after a summary that kept them',
  },
  {
    agent: 'claude-2.1.197',
    script: 'open tool begin-tool steer second finish',
    fact: 'a prompt typed ahead is not sent again when a second client left its branch',
  },
  {
    agent: 'claude-2.1.197',
    script: 'tool refused open rewind:997 compact',
    fact: 'a compaction stands for what the client had in mind, not for the branch its file named',
  },
  {
    agent: 'claude-2.1.197',
    script: 'refused compact think begin-answer finish compact',
    fact: 'a turn between two compactions is read with the summary of the first',
  },
  {
    agent: 'claude-2.1.325',
    script: 'open plain begin-tool steer interrupt compact',
    fact: 'a prompt that Claude Code wrote beside the conversation is not live after a compaction',
  },
  {
    agent: 'codex-0.166.0',
    script: 'plain open-fork away kill plain back',
    fact: 'a prompt that Codex refused while the parent of a fork was away is not a turn',
  },
  ...(['claude-2.1.197', 'claude-2.1.325', 'codex-0.142.0', 'codex-0.166.0'] as const).map((agent) => ({
    agent,
    script: 'plain begin-tool kill',
    fact: "a killed agent's turn is interrupted at once",
  })),
  {
    agent: 'codex-0.166.0',
    script: 'begin-tool kill plain plain begin-answer fork',
    fact: 'an earlier turn that was cut off is forked while another one runs',
  },
]
