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
  {
    agent: 'codex-0.142.0',
    script: 'open tool begin-tool steer interrupt rewind:992',
    fact: 'going back in place takes the note of an interruption along',
  },
  {
    agent: 'codex-0.142.0',
    script: 'open plain compact plain begin-tool steer finish rewind:206',
    fact: 'going back over a steered turn right behind a compaction loses what the compaction left',
  },
  {
    agent: 'codex-0.142.0',
    script: 'begin-answer interrupt refresh plain plain open rewind:862',
    fact: 'a note taken back is counted alike by a catalogue that has lived and a fresh one',
  },
  {
    agent: 'codex-0.142.0',
    script: 'open begin-tool second steer:908 interrupt:165',
    fact: "the output of a call is found behind another client's turn",
  },
  {
    agent: 'claude-2.1.325',
    script: 'open tool rewind:515 plain refused rewind:451 summarise-from:420',
    fact: 'a summary does not stand for turns that were taken back before it was chosen what to summarise',
  },
  {
    agent: 'claude-2.1.325',
    script: 'plain open-fork plain fork:2 away:382 plain refresh:997',
    fact: 'a native fork is not taken for a child of its sibling while their parent is away',
  },
  {
    agent: 'claude-2.1.325',
    script: 'plain open begin-tool interrupt compact',
    fact: 'a result that a compaction kept is sent with what the CLI adds to the first message',
  },
  {
    agent: 'claude-2.1.325',
    script: 'open plain parallel plain plain rewind:469 summarise-from:117',
    fact: 'parallel calls beside the chain count among what a summary stands for',
  },
  {
    agent: 'claude-2.1.325',
    script: 'plain open begin-tool steer interrupt branch',
    fact: 'a branch holds a steered prompt between a call and its result',
  },
  {
    agent: 'codex-0.166.0',
    script:
      'open:476 begin-tool:316 kill:891 begin-answer:438 kill:467 open:33 begin-tool:261 finish:314 fork:554 fork:839 fork:86',
    fact: 'a fork of a fork at a turn that was cut off is made though Codex takes it for a running one',
  },
]
