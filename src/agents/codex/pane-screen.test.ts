import { describe, expect, it } from 'vitest'
import { readScreen } from './pane-screen.ts'

/** Rows as tmux gives them, from recordings of 0.142 and 0.166. */
const rows = (text: string) => text.replace(/^\n/, '').split('\n')
const footer = '\n\n  GPT-5.5 default · /w/project\n  ? for shortcuts\n\n'
const oldFooter = '\n\n  gpt-5.5 default · ~/project\n\n\n'

describe('the composer', () => {
  it.each([
    ['a placeholder', `\n\n› hello\n\n\n• Answer\n\n› Ask Codex to do anything${footer}`, ''],
    ['a placeholder of 0.142', `\n› Write tests for @filename${oldFooter}`, ''],
    ['a draft', `\n› some draft text${footer}`, 'some draft text'],
    ['a draft of many lines', `\n› one\n\n  1. three\n  › four${footer}`, 'one\n\n1. three\n› four'],
    ['a list as a draft', `\n› 1. first\n  2. second${footer}`, '1. first\n2. second'],
    ['a paste', `\n› [Pasted Content 1500 chars]${oldFooter}`, '[Pasted Content 1500 chars]'],
    ['a command with its list below (0.142)', '\n› /status\n\n  /status      show\n  /statusline  configure\n\n\n', '/status'],
    ['a command with its list above (0.166)', `\n› /status      show\n  /statusline  configure\n\n› /status${footer}`, '/status'],
    ['a line for the shell', '\n! echo hi\n\n  gpt-5.5 default · ~/project      Shell mode\n', '!echo hi'],
    ['nothing but the sign', `\n›${footer}`, ''],
  ])('%s', (_, text, composer) => expect(readScreen(rows(text))).toMatchObject({ shows: 'composer', composer }))

  it('tells when the session is there, and when it works', () => {
    const loading = '\n  >_ OpenAI Codex (v0.166.0)\n     loading\n\n› Ask Codex to do anything\n\n  ? for shortcuts\n'
    expect(readScreen(rows(loading))).toMatchObject({ shows: 'composer', hasStatus: false, works: false })
    const working = `\n› go\n\n• Working (1s • esc to interrupt)\n\n› Ask Codex to do anything${footer}`
    expect(readScreen(rows(working))).toMatchObject({ hasStatus: true, works: true, composer: '' })
  })
})

describe('a dialog', () => {
  it('is a permission where it asks for one', () => {
    const screen = readScreen(
      rows(`
› do it

• Running touch made


  Would you like to run the following command?

  Reason: It has to be done.

  $ touch made

› 1. Yes, proceed (y)
  2. Yes, and don't ask again for commands that start with \`touch made\` (p)
  3. No, and tell Codex what to do differently (esc)

  Press enter to confirm or esc to cancel
`),
    )
    expect(screen).toMatchObject({ shows: 'permission', composer: null })
    expect(screen.question).toBe('Would you like to run the following command?\nReason: It has to be done.\n$ touch made')
  })

  it.each([
    ['Hooks need review', '  enter confirm · esc skip', 'Hooks need review\n1 hook is new or changed.'],
    ['Hooks need review', '  Press enter to confirm or esc to go back', 'Hooks need review\n1 hook is new or changed.'],
  ])('%s (%s)', (title, hint, question) => {
    const text = `\n  ${title}\n  1 hook is new or changed.\n\n› 1. Review hooks\n  2. Trust all and continue\n\n${hint}\n\n`
    expect(readScreen(rows(text))).toMatchObject({ shows: 'dialog', question, composer: null })
  })

  it('is also a list to choose from, and the way back to an earlier prompt', () => {
    const models =
      '\n› hello\n\n  Select Model and Effort\n\n  8. GPT-5.6-Luna  fast\n› 9. GPT-5.5 (current)  Legacy\n\n  enter select · esc back\n'
    expect(readScreen(rows(models))).toMatchObject({ shows: 'dialog' })
    const browsing = `\n› hello\n\n› Ask Codex to do anything\n\n  GPT-5.5 default · /w\n  Browsing transcript · ↑↓/jk scroll · ↵ rewind · esc back\n`
    expect(readScreen(rows(browsing))).toMatchObject({ shows: 'dialog', composer: null })
    const overlay =
      '/ T R A N S C R I P T / / /\n› hello\n\n ↑/↓ to scroll\n q to quit   esc/← to edit prev   enter to edit message\n'
    expect(readScreen(rows(overlay))).toMatchObject({ shows: 'dialog', composer: null })
  })
})

describe('anything else', () => {
  it('is nothing, text, or the end', () => {
    expect(readScreen([])).toMatchObject({ shows: 'empty' })
    expect(readScreen(['', '  ', ''])).toMatchObject({ shows: 'empty' })
    expect(readScreen(['Loading sessions…'])).toMatchObject({ shows: 'text' })
    const left = ['To continue this session, run:', '  codex resume 01a1dfcb-c96d-7ec0-ab71-e34e2af93605', '']
    expect(readScreen(left)).toMatchObject({ shows: 'text', hasLeft: true })
  })
})
