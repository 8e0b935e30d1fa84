// Reads the screen of Codex' terminal UI (0.142 and 0.166 were recorded): the composer, a dialog, or neither. Pure.

export interface PaneScreen {
  /** `empty`: nothing to be seen yet; `text`: something, but no composer. */
  readonly shows: 'empty' | 'text' | 'composer' | 'dialog' | 'permission'
  readonly question: string | null
  readonly composer: string | null
  /** It says of itself that it works. */
  readonly works: boolean
  /** The line with model and folder, which comes when the session is there. */
  readonly hasStatus: boolean
  /** The last words of a Codex that has gone. */
  readonly hasLeft: boolean
}

/** Codex shows one of these, greyed, while nothing is typed. */
const placeholders = new Set([
  'Ask Codex to do anything',
  'Ask a follow-up question',
  'Explain this codebase',
  'Summarize recent commits',
  'Implement {feature}',
  'Find and fix a bug in @filename',
  'Write tests for @filename',
  'Improve documentation in @filename',
  'Run /review on my current changes',
  'Use /skills to list available skills',
  'Check recently modified functions for compatibility',
  'How many files have been modified?',
  'Will this algorithm scale well?',
])

const option = /^\s*[›>❯]\s*\d+\.\s/
const anyOption = /^\s*([›>❯]\s*)?\d+\.\s/
/** What stands below a dialog: `Press enter to confirm or esc to cancel`, `enter select · esc back`, `q to quit ...`. */
const dialogHint =
  /\b(press )?enter\b.{0,20}\b(confirm|continue|select|insert|submit|edit message)\b|\besc (back|skip|to (cancel|go back|skip))\b|\bq to quit\b/i
const browsing = /^\s*Browsing transcript ·|T R A N S C R I P T/
const permission = /^\s*(Would you like to |Allow the .* to run tool|Do you want to (approve|allow|proceed))/i

export function readScreen(lines: readonly string[]): PaneScreen {
  const screen = lines.map((line) => line.trimEnd())
  const last = screen.findLastIndex((line) => line !== '')
  const at = screen.findLastIndex((line) => /^(›|!)(\s|$)/.test(line))
  const base = {
    works: screen.some((line) => /\besc to interrupt\)/.test(line)),
    hasStatus: at !== -1 && screen.slice(at + 1).some((line) => /^\s+\S.* · [~/]/.test(line)),
    hasLeft: screen.some((line) => /^To continue this session, run/.test(line)),
    composer: null,
    question: null,
  }
  if (last === -1) return { ...base, shows: 'empty' }
  const hint = screen[last] ?? ''
  const selected = screen.findLastIndex((line) => option.test(line))
  const isBrowsing = screen
    .slice(-6)
    .concat(screen[0] ?? '')
    .some((line) => browsing.test(line))
  if (isBrowsing) return { ...base, shows: 'dialog', question: 'It shows the transcript, to go back to an earlier prompt.' }
  const isDialog = dialogHint.test(hint) && (at === -1 || selected >= at)
  if (isDialog) return { ...base, ...dialogOn(screen, selected) }
  if (at === -1) return { ...base, shows: 'text' }
  return { ...base, shows: 'composer', composer: composerAt(screen, at, last) }
}

/** The question stands above the options, from the last blank line but one: a title, and what it is about. */
function dialogOn(screen: readonly string[], selected: number): Pick<PaneScreen, 'shows' | 'question'> {
  const asked = screen.findLastIndex((line) => permission.test(line))
  const top = selected === -1 ? screen.length : screen.findIndex((line, at) => at > asked && anyOption.test(line))
  const from = asked === -1 ? Math.max(0, top - 8) : asked
  const words = screen.slice(from, top).flatMap((line) => (/[\p{L}\p{N}]/u.test(line) ? [line.trim()] : []))
  return { shows: asked === -1 ? 'dialog' : 'permission', question: words.join('\n') || null }
}

/** Up to the last blank line: what stands below that is Codex' own footer, or its list of commands. */
function composerAt(screen: readonly string[], at: number, last: number): string {
  const gap = screen.slice(0, last).findLastIndex((line, index) => index > at && line === '')
  const rows = screen.slice(at, gap === -1 ? at + 1 : gap)
  const [first = '', ...rest] = rows
  const isShell = first.startsWith('!')
  const text = [first.slice(1).trim(), ...rest.map((row) => row.replace(/^ {1,2}/, ''))].join('\n').trimEnd()
  if (isShell) return `!${text}`
  return placeholders.has(text) ? '' : text
}
