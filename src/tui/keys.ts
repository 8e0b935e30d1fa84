// The one table of keys: what each does where, in words. Footer, help, palette, settings and tests are all made from it.
import type { KeyContext } from './state.ts'

export interface Action {
  readonly id: string
  /** As in the palette and in help. */
  readonly label: string
  /** One or two words for the footer; absent: not shown there. */
  readonly short?: string
  /** Names of keys by context; `everywhere` also where one types. */
  readonly keys: Partial<Record<KeyContext | 'everywhere', readonly string[]>>
  /** Offered by the palette, from wherever it is opened. */
  readonly palette?: true
}

/** Lists and pages: one moves in all of them with the same keys. */
const scrolled = ['sessions', 'transcript', 'tree', 'workers', 'diff', 'compare', 'help'] as const

function inAll<const C extends KeyContext>(
  contexts: readonly C[],
  keys: readonly string[],
): Partial<Record<C, readonly string[]>> {
  return Object.fromEntries(contexts.map((context) => [context, keys])) as Partial<Record<C, readonly string[]>>
}

/** Contexts in which letters are text. */
export const typingContexts: readonly KeyContext[] = ['search', 'composer', 'completion', 'palette', 'ask']

export const actions = [
  // Everywhere
  { id: 'escape', label: 'Step back, close, clear', keys: { everywhere: ['esc'] } },
  { id: 'palette', label: 'All commands', short: 'commands', keys: { everywhere: ['ctrl+p'] } },
  {
    id: 'help',
    label: 'Keys',
    short: 'keys',
    keys: { everywhere: ['f1'], ...inAll(['sessions', 'transcript', 'tree', 'workers', 'diff', 'compare'], ['?']) },
    palette: true,
  },
  {
    id: 'fork',
    label: 'Fork this session',
    short: 'fork',
    keys: { everywhere: ['alt+shift+f'], sessions: ['f'], transcript: ['f'], tree: ['f'] },
    palette: true,
  },
  { id: 'quit', label: 'Leave offshoot', keys: { everywhere: ['ctrl+q'], sessions: ['q'] }, palette: true },
  { id: 'stop', label: 'Stop the turn, or clear the line; twice: leave offshoot', keys: { everywhere: ['ctrl+c'] } },
  { id: 'suspend', label: 'Suspend (fg comes back)', keys: { everywhere: ['ctrl+z'] }, palette: true },
  { id: 'show_sessions', label: 'Sessions', keys: { everywhere: ['alt+0'] }, palette: true },
  { id: 'next_tab', label: 'Next tab', keys: { everywhere: ['alt+right', 'ctrl+pagedown'] }, palette: true },
  { id: 'previous_tab', label: 'Previous tab', keys: { everywhere: ['alt+left', 'ctrl+pageup'] }, palette: true },
  { id: 'close_tab', label: 'Close this tab', keys: { everywhere: ['alt+x'] }, palette: true },
  { id: 'tree', label: 'Tree of forks', keys: { everywhere: ['alt+t'], sessions: ['t'], transcript: ['t'] }, palette: true },
  { id: 'workers', label: 'Workers', keys: { everywhere: ['alt+w'], sessions: ['w'], transcript: ['w'] }, palette: true },
  { id: 'diff', label: 'What the last turn changed', keys: { everywhere: ['alt+d'], transcript: ['d'] }, palette: true },
  { id: 'open_in_cli', label: "Open in the agent's own UI", keys: { everywhere: ['alt+o'] }, palette: true },
  { id: 'copy', label: 'Copy the address', keys: { sessions: ['y'], transcript: ['y'], tree: ['y'] }, palette: true },
  {
    id: 'label',
    label: 'Label this session',
    keys: { sessions: ['l'], transcript: ['l'], tree: ['l'] },
    palette: true,
  },
  { id: 'restore', label: 'Bring back the code of this turn', keys: {}, palette: true },

  // Moving
  {
    id: 'up',
    label: 'Up',
    keys: {
      ...inAll([...scrolled, 'permission', 'fork', 'backtrack'], ['up', 'k']),
      ...inAll(['search', 'completion', 'palette'], ['up']),
    },
  },
  {
    id: 'down',
    label: 'Down',
    keys: {
      ...inAll([...scrolled, 'permission', 'fork', 'backtrack'], ['down', 'j']),
      ...inAll(['search', 'completion', 'palette'], ['down']),
    },
  },
  { id: 'page_up', label: 'A page up', keys: inAll([...scrolled, 'search', 'composer', 'backtrack', 'fork'], ['pageup']) },
  { id: 'page_down', label: 'A page down', keys: inAll([...scrolled, 'search', 'composer', 'backtrack', 'fork'], ['pagedown']) },
  { id: 'first', label: 'To the start', keys: inAll(scrolled, ['g', 'home']) },
  { id: 'last', label: 'To the end', keys: inAll(scrolled, ['G', 'end']) },

  // Sessions and search
  { id: 'open', label: 'Open', short: 'open', keys: { sessions: ['enter'], search: ['enter'], tree: ['enter'] } },
  { id: 'search', label: 'Search by intent', short: 'search', keys: { sessions: ['/'] }, palette: true },
  { id: 'filter_agent', label: 'Claude, Codex or both', short: 'agent', keys: { sessions: ['a'] }, palette: true },
  { id: 'filter_scope', label: 'This repository or all', short: 'scope', keys: { sessions: ['s'] }, palette: true },
  { id: 'refresh', label: 'Look again', keys: { sessions: ['r'] }, palette: true },

  // Talking
  { id: 'send', label: 'Send', short: 'send', keys: { composer: ['enter'] } },
  { id: 'newline', label: 'A new line', short: 'new line', keys: { composer: ['alt+enter', 'ctrl+j', 'shift+enter'] } },
  { id: 'history_up', label: 'Line up, or what was sent before', keys: { composer: ['up'] } },
  { id: 'history_down', label: 'Line down, or what was sent after', keys: { composer: ['down'] } },
  {
    id: 'focus',
    label: 'Between composer and transcript',
    short: 'focus',
    keys: { composer: ['tab'], transcript: ['tab'] },
  },
  { id: 'accept', label: 'Take it', keys: { completion: ['tab', 'enter'] } },
  { id: 'unfold', label: 'Fold or unfold', short: 'unfold', keys: { transcript: ['space', 'enter'] } },
  { id: 'next_fold', label: 'To the next that can be unfolded', keys: { transcript: ['n', 'right'] } },
  { id: 'previous_fold', label: 'To the one before', short: 'other', keys: { transcript: ['p', 'left'] } },
  { id: 'unfold_all', label: 'Fold or unfold everything', keys: { transcript: ['u'] }, palette: true },

  // Editing a line
  { id: 'left', label: 'Left', keys: inAll(['search', 'composer', 'palette', 'ask', 'completion'], ['left']) },
  { id: 'right', label: 'Right', keys: inAll(['search', 'composer', 'palette', 'ask', 'completion'], ['right']) },
  { id: 'word_left', label: 'A word left', keys: inAll(['search', 'composer', 'palette', 'ask'], ['ctrl+left', 'alt+b']) },
  { id: 'word_right', label: 'A word right', keys: inAll(['search', 'composer', 'palette', 'ask'], ['ctrl+right', 'alt+f']) },
  {
    id: 'line_start',
    label: 'To the start of the line',
    keys: inAll(['search', 'composer', 'palette', 'ask'], ['home', 'ctrl+a']),
  },
  { id: 'line_end', label: 'To the end of the line', keys: inAll(['search', 'composer', 'palette', 'ask'], ['end', 'ctrl+e']) },
  { id: 'erase', label: 'Erase', keys: inAll(typingContexts, ['backspace', 'ctrl+h']) },
  { id: 'erase_right', label: 'Erase to the right', keys: inAll(typingContexts, ['delete', 'ctrl+d']) },
  { id: 'erase_word', label: 'Erase a word', keys: inAll(typingContexts, ['ctrl+w', 'alt+backspace']) },
  { id: 'erase_line', label: 'Erase to the start of the line', keys: inAll(typingContexts, ['ctrl+u']) },
  { id: 'erase_rest', label: 'Erase to the end of the line', keys: inAll(typingContexts, ['ctrl+k']) },

  // Backtrack
  { id: 'fork_here', label: 'Fork here', short: 'fork here', keys: { backtrack: ['enter'] } },
  { id: 'leave_backtrack', label: 'Leave', short: 'leave', keys: { backtrack: ['q'] } },

  // Fork dialog
  { id: 'confirm_fork', label: 'Fork', short: 'fork', keys: { fork: ['enter'] } },
  { id: 'change_left', label: 'The choice before', keys: { fork: ['left', 'h'] } },
  { id: 'change_right', label: 'The next choice', short: 'change', keys: { fork: ['right', 'l', 'space'] } },
  { id: 'edit', label: 'Type it', short: 'type', keys: { fork: ['e'] } },
  { id: 'say_yes', label: 'Yes to the warnings', short: 'yes', keys: { fork: ['y'] } },

  // Permissions
  { id: 'choose', label: 'Take it', short: 'choose', keys: { permission: ['enter'], palette: ['enter'], ask: ['enter'] } },
  { id: 'confirm', label: 'Yes, do it', short: 'yes', keys: { confirm: ['y'] } },
  { id: 'allow', label: 'Allow', short: 'allow', keys: { permission: ['y'] } },
  { id: 'allow_session', label: 'Allow for this session', short: 'always', keys: { permission: ['a'] } },
  { id: 'deny', label: 'Deny', short: 'deny', keys: { permission: ['n'] } },

  // Tree
  { id: 'mark', label: 'Mark to compare', short: 'mark', keys: { tree: ['m', 'space'] } },
  { id: 'compare', label: 'Compare the two marked', short: 'compare', keys: { tree: ['c'] } },
  { id: 'next_file', label: 'To the next file', short: 'next file', keys: { compare: ['n'] } },
  { id: 'previous_file', label: 'To the file before', keys: { compare: ['p'] } },
  { id: 'shift_left', label: 'The start of long lines', keys: { compare: ['left', 'h'] } },
  { id: 'shift_right', label: 'The rest of long lines', short: 'long lines', keys: { compare: ['right', 'l'] } },

  // Workers
  { id: 'attach', label: 'Attach', short: 'attach', keys: { workers: ['enter'] } },
  { id: 'send_worker', label: 'Send it a prompt', short: 'send', keys: { workers: ['s'] } },
  { id: 'fork_worker', label: 'Fork it', short: 'fork', keys: { workers: ['f'] } },
  { id: 'stop_worker', label: 'Stop it', short: 'stop', keys: { workers: ['x'] } },
  {
    id: 'close',
    label: 'Close',
    short: 'close',
    keys: { diff: ['q'], compare: ['q'], help: ['q', '?'], tree: ['q'], workers: ['q'], confirm: ['n', 'q'] },
  },
] as const satisfies readonly Action[]

export type ActionId = (typeof actions)[number]['id']

/** Keys the person has set: action to names, for every context the action is in. */
export type OwnKeys = Partial<Record<ActionId, readonly string[]>>

export interface KeyTable {
  find(context: KeyContext, name: string): ActionId | null
  /** The first key that does this in a context, for footer and help; `null`: none does. */
  keyOf(context: KeyContext, id: ActionId): string | null
  /** All of them, in that very context. */
  keysOf(context: KeyContext | 'everywhere', id: ActionId): readonly string[]
  /** Keys of the person's own that cannot do what they were set for, or take one away that is needed: each as a sentence. */
  readonly conflicts: readonly string[]
}

const all = actions as readonly (Action & { readonly id: ActionId })[]

export const keyContexts = [...new Set(all.flatMap(({ keys }) => Object.keys(keys)))].filter(
  (context): context is KeyContext => context !== 'everywhere',
)

/** Rows of the help page: each context has a title, its actions and a blank. */
export const helpLength = keyContexts.length * 2 + 2 + all.reduce((sum, { keys }) => sum + Object.keys(keys).length, 0)

export function createKeyTable(own: OwnKeys = {}): KeyTable {
  const byPlace = new Map<string, ActionId>()
  const conflicts: string[] = []
  for (const action of all) {
    for (const [context, names] of Object.entries(action.keys)) {
      for (const name of own[action.id] ?? names) {
        const taken = byPlace.get(`${context} ${name}`)
        if (taken !== undefined && taken !== action.id) conflicts.push(`${name} is both ${taken} and ${action.id} in ${context}.`)
        // What a person has set goes before what comes along.
        if (taken === undefined || own[action.id] !== undefined) byPlace.set(`${context} ${name}`, action.id)
      }
    }
  }
  const find = (context: string, name: string) => byPlace.get(`${context} ${name}`) ?? byPlace.get(`everywhere ${name}`) ?? null
  // The footer asks for every action with every frame: looked through each time, that took half of drawing it.
  const names = new Map<string, string[]>()
  for (const [place, action] of byPlace) {
    const [where = '', name = ''] = place.split(' ')
    names.set(`${where} ${action}`, [...(names.get(`${where} ${action}`) ?? []), name])
  }
  const keysOf = (context: string, id: ActionId) => names.get(`${context} ${id}`) ?? []
  for (const id of Object.keys(own) as ActionId[]) {
    for (const name of keysOf('everywhere', id)) {
      if ([...name].length === 1) conflicts.push(`${name} is ${id} everywhere: it can no longer be typed.`)
      const hidden = keyContexts.filter((context) => find(context, name) !== id)
      if (hidden.length > 0) conflicts.push(`${name} is not ${id} in ${hidden.join(', ')}: something else has it there.`)
    }
  }
  return {
    find,
    keyOf: (context, id) =>
      [...keysOf(context, id), ...keysOf('everywhere', id)].find((name) => find(context, name) === id) ?? null,
    keysOf,
    conflicts,
  }
}
