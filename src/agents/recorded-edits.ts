// The changes of files that a transcript records, for code that no snapshot holds.

/** A change of a file as the transcript records it; enough to do it again on a file that is as it was then. */
export interface RecordedEdit {
  readonly turnId: string
  /** Absolute, as the agent named it (relative paths resolved against the folder of the call). */
  readonly path: string
  readonly kind: 'write' | 'edit' | 'delete' | 'move'
  /** The whole file before, where the transcript holds it: `null` = it did not exist, absent = not recorded. */
  readonly before?: string | null
  /** The whole file after, where the transcript holds it. */
  readonly after?: string | null
  /** For `edit` without `after`: replacements in order, each of which must match exactly once (or `all`). */
  readonly replacements?: readonly { readonly old: string; readonly new: string; readonly all: boolean }[]
  /**
   * For `edit` and `move` without `after`: lines (with their line breaks) to exchange, top to bottom. `line` (from 1) is where;
   * `null`: where they match, once, in a file that is made to end with a line break.
   */
  readonly hunks?: readonly { readonly line: number | null; readonly old: readonly string[]; readonly new: readonly string[] }[]
  readonly movedTo?: string
}

export interface UnrecordedChange {
  readonly turnId: string
  readonly tool: string
  /** The agent only noticed it: somebody else did it. */
  readonly outside?: true
}

export interface RecordedEdits {
  readonly edits: readonly RecordedEdit[]
  /** What may have changed files without the transcript telling how, by turn: `Bash: npm`. Commands that only read are left out. */
  readonly unrecorded: readonly UnrecordedChange[]
  /** The commit the agent recorded when the session began; `null` where it records none. */
  readonly startCommit: string | null
}
