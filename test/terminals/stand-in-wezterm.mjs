// A stand-in for `wezterm`, as strict as its documentation (wezterm.org/cli/cli) about arguments, and with its error texts.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fail, folder, listPanes, pasteInto, screenOf, scripted, spawnPane, stdin, tmux, violate } from './stand-in.mjs'

const says = (text) => fail(`10:11:12.345  ERROR  wezterm > ${text}; terminating`)
const args = process.argv.slice(2)
writeFileSync(join(folder, 'calls'), `${JSON.stringify(args)}\n`, { flag: 'a' })

if (args.join(' ') === '--version') {
  process.stdout.write('wezterm 20240203-110809-5046fc22\n')
  process.exit(0)
}
if (args.shift() !== 'cli') violate('only `wezterm cli` is documented')
if (args.shift() !== '--no-auto-start') violate('without --no-auto-start a stale socket starts a mux server')
const socket = process.env.WEZTERM_UNIX_SOCKET
if (socket !== undefined && !existsSync(socket)) {
  says(`failed to connect to Socket("${socket}"): connecting to ${socket}; No such file or directory (os error 2)`)
}
scripted()

const documented = {
  spawn: { values: ['--cwd', '--pane-id', '--window-id', '--workspace', '--domain-name'], flags: ['--new-window'] },
  'split-pane': {
    values: ['--cwd', '--pane-id', '--percent', '--cells'],
    flags: ['--left', '--right', '--top', '--bottom', '--horizontal', '--top-level'],
  },
  'send-text': { values: ['--pane-id'], flags: ['--no-paste'] },
  'get-text': { values: ['--pane-id', '--start-line', '--end-line'], flags: ['--escapes'] },
  list: { values: ['--format'], flags: [] },
  'list-clients': { values: ['--format'], flags: [] },
  'activate-pane': { values: ['--pane-id'], flags: [] },
  'kill-pane': { values: ['--pane-id'], flags: [] },
  'set-tab-title': { values: ['--pane-id', '--tab-id', '--window-id'], flags: [] },
}
const verb = args.shift()
const { values, flags } = documented[verb] ?? violate(`no such command: ${verb}`)
const given = {}
while (args[0]?.startsWith('--') && args[0] !== '--') {
  const name = args.shift()
  if (values.includes(name)) given[name] = args.shift()
  else if (flags.includes(name)) given[name] = true
  else violate(`${verb} has no ${name}`)
}
const words = args[0] === '--' ? args.slice(1) : args

/** Its ids are small numbers; a pane that is gone is an error. */
function pane() {
  const id = given['--pane-id'] ?? violate(`${verb} needs --pane-id here`)
  if (!/^\d+$/.test(id)) says(`invalid value '${id}' for '--pane-id <PANE_ID>': invalid digit found in string`)
  return listPanes().find((one) => one.id === `%${id}`)?.id ?? says(`no such pane ${id}`)
}

/** `exit_behavior = "Close"`, and the pane's tty as the terminal tells it. */
const ttyOf = (tty) => (existsSync(join(folder, 'other-tty')) ? readFileSync(join(folder, 'other-tty'), 'utf8') : tty)

const verbs = {
  spawn: open,
  'split-pane': open,
  'send-text'() {
    if (words.length > 0) violate('text goes by stdin')
    const text = stdin()
    pasteInto(
      pane(),
      given['--no-paste'] ? text : text.replaceAll('\u001b[200~', '').replaceAll('\u001b[201~', ''),
      !given['--no-paste'],
    )
  },
  'get-text': () => process.stdout.write(screenOf(pane())),
  list() {
    if (given['--format'] !== 'json') violate('only json can be read')
    const rows = listPanes().map(({ id, tty, title }) => ({
      ...{ window_id: 0, tab_id: Number(id.slice(1)), pane_id: Number(id.slice(1)), workspace: 'default' },
      ...{
        size: { rows: 50, cols: 200, pixel_width: 0, pixel_height: 0, dpi: 0 },
        title,
        cwd: 'file:///',
        cursor_x: 0,
        cursor_y: 0,
      },
      ...{ cursor_shape: 'Default', cursor_visibility: 'Visible', left_col: 0, top_row: 0, tab_title: '', window_title: title },
      ...{ is_active: true, is_zoomed: false, tty_name: ttyOf(tty) },
    }))
    process.stdout.write(`${JSON.stringify(rows, null, 2)}\n`)
  },
  'list-clients'() {
    const focused = existsSync(join(folder, 'focused')) ? Number(readFileSync(join(folder, 'focused'), 'utf8')) : 0
    process.stdout.write(
      `${JSON.stringify([{ pid: 1, idle_time: { secs: 0, nanos: 0 }, workspace: 'default', focused_pane_id: focused }])}\n`,
    )
  },
  'activate-pane': () => writeFileSync(join(folder, 'focused'), pane().slice(1)),
  'kill-pane': () => tmux(['kill-pane', '-t', pane()]),
  'set-tab-title'() {
    if (words.length !== 1) violate('one title')
    pane()
    writeFileSync(join(folder, 'title'), words[0])
  },
}
verbs[verb]()

function open() {
  const [program] = words
  if (program === undefined || !program.startsWith('/')) violate('a program needs an absolute path')
  if (!existsSync(program)) {
    says(`Unable to spawn ${program} because it doesn't exist on the filesystem and was not found in PATH`)
  }
  // With a program, the environment of this very process is what the pane gets.
  const { STAND_IN_FOLDER: _, STAND_IN_PATH: __, WEZTERM_UNIX_SOCKET: ___, ...env } = process.env
  const next = { ...env, TERM: 'xterm-256color', TERM_PROGRAM: 'WezTerm' }
  const id = spawnPane(words, given['--cwd'], { ...next, WEZTERM_UNIX_SOCKET: join(folder, 'gui-sock') }, 'WEZTERM_PANE')
  process.stdout.write(`${id.slice(1)}\n`)
}
