import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createClaudeTranscript } from '../../src/cli/demo/claude-transcript.ts'
import { countForks, createShells, expectStatus, type Shells } from './open-shell.ts'
import { createFixture, type Fixture } from './run-cli.ts'

const zebraId = 'e5cade00-0000-4000-8000-000000000001'
let home: Fixture
let shells: Shells

beforeAll(async () => {
  home = await createFixture()
  shells = createShells(home)
})
afterAll(async () => {
  await shells.close()
  home.remove()
})

describe('search -i', () => {
  test('begins with the newest, changes as one types, shows the turn, and Esc gives the screen back', async () => {
    const terminal = await shells.open({ columns: 100, rows: 30 })
    await terminal.submit('offshoot search -i')
    const opened = await terminal.waitFor(/^> 0\.\d\d .*codex/m)
    expect(opened).toMatch(/^Search this repository \(todo\)/)
    expect(opened).toMatch(/find: _ {2}1\/4/)
    await terminal.type('tomorrow')
    const found = await terminal.waitFor(/find: tomorrow_ {2}1\/\d[\s\S]*> Let people write "tomorrow"/)
    expect(found).toMatch(/^> 0\.\d\d +1d ago {2}claude {2}Due dates in plain words$/m)
    expect(found).toContain('claude:b7c41d02@2')
    expect(found).toContain('`parseDue("in two weeks")` now gives a date')
    terminal.key('C-u')
    await terminal.type('kubernetes ingress certificates')
    await terminal.waitFor('No session is about this.')
    terminal.key('C-w', 'C-w', 'C-u')
    await terminal.type('plain file')
    await terminal.waitFor(/> Store it in a plain file instead\./)
    terminal.key('Escape')
    await terminal.waitFor('Nothing was done.')
    expect(terminal.screen()).not.toContain('find:')
    await expectStatus(terminal, 130)
    expect(await countForks(home)).toBe(0)
  })

  test('Enter shows the plan of that turn and asks; yes opens the agent there', async () => {
    const terminal = await shells.open({ columns: 120, rows: 50 })
    await terminal.submit('offshoot search -i write tests and run them')
    await terminal.waitFor(/^> 0\.\d\d .*Give every task a due date\.$/m)
    await terminal.waitFor('Three tests, all green.')
    terminal.key('Enter')
    await terminal.waitFor('Fork? [y/N]')
    expect(terminal.scrollback()).toMatch(/turns +2 kept, 1 dropped/)
    terminal.key('y', 'Enter')
    const screen = await terminal.waitFor('HAS THE TERMINAL')
    expect(screen).toMatch(/AGENT IN \w+ WITH --settings=\S+\s+--resume=[0-9a-f-]{36}/)
    await terminal.submit('exit 7')
    await expectStatus(terminal, 7)
    expect(await countForks(home)).toBe(1)
    await home.run(['undo', '--force'])
  })

  test.each([
    [60, 16],
    [40, 10],
    [24, 8],
  ])('fits %d x %d; arrows move', async (columns, rows) => {
    const terminal = await shells.open({ columns, rows })
    await terminal.submit('offshoot search -i list')
    await terminal.waitFor(/^> 0\.\d\d/m)
    await terminal.waitFor(/ 1\/\d/)
    terminal.key('Down')
    const screen = await terminal.waitFor(/ 2\/\d/)
    expect(screen).toMatch(/^Search this reposi/)
    expect(screen.split('\n').at(-1)).toContain('type to search')
    terminal.key('C-c')
    await expectStatus(terminal, 130)
  })

  test('a session that is written meanwhile is found without typing again', async () => {
    const terminal = await shells.open({ columns: 100, rows: 30 })
    await terminal.submit('offshoot search -i zebra')
    await terminal.waitFor('No session is about this.')
    const session = createClaudeTranscript({ sessionId: zebraId, cwd: home.repository, startedAt: Date.now() - 9e6 })
    session.prompt('Draw a zebra.')
    session.say('Black and white.')
    session.write(home.vars.CLAUDE_CONFIG_DIR ?? '')
    await terminal.waitFor(/^> 0\.\d\d .*Draw a zebra\.$/m)
    terminal.key('Escape')
    await expectStatus(terminal, 130)
  })

  test('a terminal that cannot draw is told to leave -i out', async () => {
    const terminal = await shells.open({ columns: 100, rows: 24 })
    await terminal.submit('TERM=dumb offshoot search -i list')
    await terminal.waitFor('Searching as one types needs a terminal.')
    await expectStatus(terminal, 2)
  })
})

describe('smart-fork', () => {
  test('the intent is in the finder already; Enter goes on to the plan with the flags of fork', async () => {
    const terminal = await shells.open({ columns: 120, rows: 40 })
    await terminal.submit('offshoot smart-fork store it in a plain file --code none --title Mine')
    await terminal.waitFor(/find: store it in a plain file_ {2}1\//)
    await terminal.waitFor('so that it is never half a file.')
    terminal.key('Enter')
    const plan = await terminal.waitFor('Fork? [y/N]')
    expect(plan).toMatch(/^Mine$/m)
    expect(plan).toContain('none: it runs in place')
    terminal.key('n', 'Enter')
    await expectStatus(terminal, 130)
  })

  test('--yes asks only where nothing is clearly ahead', async () => {
    const terminal = await shells.open({ columns: 120, rows: 40 })
    await terminal.submit('offshoot smart-fork due dates --yes --code none --terminal none')
    await terminal.waitFor(/find: due dates_/)
    terminal.key('Escape')
    await expectStatus(terminal, 130)
    await terminal.submit('clear; offshoot smart-fork store it in a plain file --yes --code none --terminal none')
    await terminal.waitFor('Forked: Fork of Where is the list stored?')
    await expectStatus(terminal, 0)
  })
})
