// A stand-in for `osascript` with an iTerm2 behind it: takes a script on stdin and its values as arguments, knows the verbs that
// iTerm2's documentation has, splits commands as iTerm2 does, and gives the errors of macOS.
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fail, folder, listPanes, pasteInto, screenOf, scripted, spawnPane, stdin, tmux, violate } from './stand-in.mjs'

const [dash, ...values] = process.argv.slice(2)
if (dash !== '-') violate('the script comes on stdin, so the first argument is `-`')
const script = stdin()
writeFileSync(join(folder, 'calls'), `${JSON.stringify({ script, values })}\n`, { flag: 'a' })
if (values.some((value) => value.startsWith('-'))) violate('a value that begins with - may be taken for an option')
if (!script.startsWith('on run argv\n  if application "iTerm2" is not running then return "not running"\n')) {
  violate('`tell` starts iTerm2: look first whether it runs')
}
scripted()
if (existsSync(join(folder, 'not-running'))) answer('not running')

/** GUIDs are never used again: they are kept with the pane. */
const [id, text] = values
const pane = () => listPanes().find((one) => guidOf(one.id) === id)?.id ?? answer('gone')

const verbs = [
  ['create window with default profile command (item 1 of argv)', open],
  ['create tab with default profile command (item 1 of argv)', open],
  ['split vertically with default profile command (item 1 of argv)', open],
  [
    'write text (text 2 thru -1 of (item 2 of argv)) newline NO',
    () => {
      if (!text.startsWith('=')) violate('an = before the text')
      pasteInto(pane(), text.slice(1), false)
      answer('ok')
    },
  ],
  ['(contents of aSession)', () => answer(`ok\n${titleOf(pane())}\n${screenOf(pane())}`)],
  ['version of application "iTerm2"', () => answer('ok 3.5.10')],
  [
    'select aWindow',
    () => {
      writeFileSync(join(folder, 'focused'), pane())
      answer('ok')
    },
  ],
  [
    'close aSession',
    () => {
      tmux(['kill-pane', '-t', pane()])
      answer('ok')
    },
  ],
  [
    'return "ok"',
    () => {
      pane()
      answer('ok')
    },
  ],
]
const [, act] = verbs.find(([phrase]) => script.includes(phrase)) ?? violate('a script that does nothing documented')
act()

function open() {
  if (!text.startsWith('=')) violate('an = before the title')
  const guid = crypto.randomUUID().toUpperCase()
  const env = {
    PATH: '/usr/bin:/bin',
    HOME: folder,
    TERM: 'xterm-256color',
    TERM_PROGRAM: 'iTerm.app',
    ITERM_SESSION_ID: `w0t0p0:${guid}`,
  }
  const pane = spawnPane(splitCommand(id), '/', env)
  tmux(['set-option', '-p', '-t', pane, '@guid', guid])
  answer(`ok ${guid}`)
}

function guidOf(pane) {
  const known = tmux(['display-message', '-p', '-t', pane, '#{@guid}']).stdout.trim()
  if (known !== '') return known
  const guid = crypto.randomUUID().toUpperCase()
  tmux(['set-option', '-p', '-t', pane, '@guid', guid])
  return guid
}

function titleOf(pane) {
  return tmux(['display-message', '-p', '-t', pane, '#{pane_title}']).stdout.trim()
}

/** Quotes and backslashes, after `$$name$$` was put in. */
function splitCommand(command) {
  if (command.includes('$$')) fail('execution error: iTerm got an error: a variable was put in (-1)')
  const words = []
  for (const [, quoted, plain] of command.matchAll(/"((?:[^"\\]|\\.)*)"|((?:[^\s"\\]|\\.)+)/g)) {
    words.push(
      (quoted ?? plain).replaceAll(/\\(.)/g, (_, letter) => ({ n: '\n', t: '\t', a: '\u0007', r: '\r' })[letter] ?? letter),
    )
  }
  return words
}

function answer(line) {
  process.stdout.write(line.endsWith('\n') ? line : `${line}\n`)
  process.exit(0)
}
