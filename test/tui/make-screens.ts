// `npm run screens`: drives the built terminal UI through the demo's sample sessions and writes what it shows to docs/screens.md.
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { createFixture } from '../cli/run-cli.ts'
import { openApp } from './app-in-pty.ts'

const page = fileURLToPath(new URL('../../docs/screens.md', import.meta.url))
const home = await createFixture()
const app = openApp({ columns: 110, rows: 30, cwd: home.repository, env: { ...home.vars, NO_COLOR: '1' } })
const shots: [title: string, screen: string][] = []

/** Paths of this run and ids that are made anew each time are of no interest. */
async function take(title: string, pattern: string | RegExp): Promise<void> {
  const screen = await app.waitFor(pattern)
  const plain = screen.replaceAll(home.home, '~').replace(/offshoot\/session\/\w{8}/g, 'offshoot/session/j6pqxank')
  shots.push([title, plain.trimEnd()])
}

try {
  await take('Sessions of this repository, of both agents', 'Give every task a due date.')
  app.press('/', 'let people type tomorrow')
  await take('Search by what you want, as you type', /@2 +0\.\d\d/)
  app.press('esc', 'esc')
  await app.waitWhile('/ let people')
  app.press('j', 'j', 'enter')
  await take('A session: tool calls folded, the composer below', '❯ ask Claude')
  app.press('esc')
  await app.waitFor('BACKTRACK')
  app.press('up', 'up')
  await take('Stepping back: Enter forks at the framed message', 'keeps 2 turns, drops 1')
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

const body = shots.map(([title, screen]) => `## ${title}\n\n\`\`\`text\n${screen}\n\`\`\`\n`).join('\n')
writeFileSync(
  page,
  `# Screens of the terminal UI\n\nThe demo's sample sessions, 110 by 30, without colours. \`npm run screens\` makes this page anew.\n\n${body}`,
)
console.log(`${shots.length} screens in docs/screens.md`)
