// `npm run screens`: drives the built terminal UI through the demo's sample sessions and writes what it shows to docs/screens.md.
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { captured, createCapturedFixture } from '../cli/captured.ts'
import { createFixture } from '../cli/run-cli.ts'
import { type AppInPty, openApp } from './app-in-pty.ts'

const page = fileURLToPath(new URL('../../docs/screens.md', import.meta.url))
const home = await createFixture()
const app = openApp({ columns: 110, rows: 30, cwd: home.repository, env: { ...home.vars, NO_COLOR: '1' } })
const shots: [title: string, screen: string][] = []

/** Paths of this run and ids that are made anew each time are of no interest. */
async function take(title: string, pattern: string | RegExp, from: AppInPty = app): Promise<void> {
  const screen = await from.waitFor(pattern)
  const plain = screen.replaceAll(home.home, '~').replace(/offshoot\/session\/\w{8}/g, 'offshoot/session/j6pqxank')
  shots.push([title, plain.trimEnd()])
}

try {
  await take('Sessions of this repository, of both agents', 'Give every task a due date.')
  app.press('/', 'let people type tomorrow')
  await take('Search by what you want, as you type', /@2 +0\.\d\d/)
  app.press('esc')
  await app.waitFor('what are you looking for?')
  app.press('esc')
  await app.waitWhile('what are you looking for?')
  app.press('j', 'j', 'enter')
  await take('A session: tool calls folded, the composer below', 'Sorted: tasks without a date come last.')
  app.press('esc')
  await app.waitFor('BACKTRACK')
  app.press('up', 'up')
  await take('Stepping back: Enter forks at the framed message', /┃ ● Three tests/)
  app.press('enter')
  await take('The plan of a fork, its choices changed in place', 'Needs a yes')
  app.press('y', 'enter')
  await app.waitFor('Fork created')
  app.press('\u001bt')
  await take('The tree of forks', /Fork of Give every task.*prefix at turn 2/)
  app.press('ctrl+q')
  await app.ended
} finally {
  app.close()
  home.remove()
}

await takeComparison()

/** Only what was captured has code to compare. */
async function takeComparison(): Promise<void> {
  const seen = await createCapturedFixture()
  await seen.run(['fork', `${captured}@1`, '--terminal', 'none', '--yes', '--json'])
  const other = openApp({ columns: 110, rows: 30, cwd: seen.repository, env: { ...seen.vars, NO_COLOR: '1' } })
  try {
    await other.waitFor('Fork of')
    other.press('t')
    await other.waitFor(/└.*Fork of/)
    other.press('m', 'j', 'm', 'c')
    await take('Two forks compared: what they cost, where their code differs', /1 - import/, other)
    other.press('ctrl+q')
    await other.ended
  } finally {
    other.close()
    await seen.remove()
  }
}

const body = shots.map(([title, screen]) => `## ${title}\n\n\`\`\`text\n${screen}\n\`\`\`\n`).join('\n')
writeFileSync(
  page,
  `# Screens of the terminal UI\n\nThe demo's sample sessions, 110 by 30, without colours. \`npm run screens\` makes this page anew.\n\n${body}`,
)
console.log(`${shots.length} screens in docs/screens.md`)
