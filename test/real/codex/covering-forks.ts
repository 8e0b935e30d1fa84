// Which scenarios of Codex `npm test` forks, and on which version; it reads the others, so that each is run by one of the two suites.

/** What `npm test` forks: each way a thread may lie on disk, each obstacle to a native fork. All else runs with the whole matrix. */
export const coveringForks: ReadonlySet<string> = new Set([
  '0.142.0 several turns',
  '0.166.0 several turns',
  '0.166.0 three parallel tools',
  '0.142.0 killed in mid tool',
  '0.166.0 steered turn',
  '0.142.0 fork at an earlier turn',
  '0.166.0 fork of a fork',
  '0.166.0 parent of a fork deleted',
  '0.142.0 compaction',
  '0.166.0 compaction',
  '0.142.0 rewind in place',
  '0.166.0 rewind in place',
  '0.166.0 subagent that knows its parent',
  '0.166.0 archived session',
  '0.166.0 compressed file',
  '0.142.0 old session carried on by the new CLI',
  '0.142.0 prompts that look injected',
  '0.166.0 items put in by a client',
  '0.142.0 begins with items put in by a client',
])
