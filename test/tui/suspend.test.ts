// Ctrl+Z in a shell with job control: the shell has its terminal back, `fg` brings everything back as it was, at the size of then.
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isAlive } from '../../src/lib/is-alive.ts'
import { bin } from '../cli/run-cli.ts'
import { waitUntil } from '../real/lib/wait.ts'
import type { AppInPty } from './app-in-pty.ts'
import { useHome } from './tui-home.ts'

const home = useHome()
let shell: AppInPty

beforeAll(async () => {
  shell = home.open({ env: { PS1: 'READY$ ' }, argv: ['bash', '--noprofile', '--norc', '-i'] })
  await shell.waitFor('READY$')
  shell.press(`'${process.execPath}' '${bin}'`, 'enter')
  await shell.waitFor('Due dates in plain words')
})
afterAll(async () => {
  shell.close()
  await waitUntil('the shell to end', () => !isAlive(shell.pid))
})

const childOfShell = () => Number(readFileSync(`/proc/${shell.pid}/task/${shell.pid}/children`, 'utf8').trim().split(' ')[0])
const isStopped = () => /\) T /.test(readFileSync(`/proc/${childOfShell()}/stat`, 'utf8'))

test('Ctrl+Z gives the shell its terminal back, fg draws everything again, at the new size', async () => {
  shell.press('/', 'sort the list')
  await shell.waitFor('/ sort the list')
  shell.press('\u001a')
  await shell.waitFor(/Stopped/)
  await waitUntil('the process to stand still', isStopped)
  expect(shell.isFullScreen()).toBe(false)
  for (const mode of ['1049', '1000', '1006', '2004'])
    expect(shell.raw().lastIndexOf(`\u001b[?${mode}l`)).toBeGreaterThan(shell.raw().indexOf(`\u001b[?${mode}h`))
  shell.press('echo $((6*7)) is typed in the shell; stty -a', 'enter')
  expect(await shell.waitFor(/42 is typed in the shell[\s\S]* icanon/)).toMatch(/ echo /)
  shell.resize({ columns: 80, rows: 24 })
  shell.press('fg', 'enter')
  await shell.waitFor('/ sort the list')
  expect(shell.isFullScreen()).toBe(true)
  await waitUntil('the foot of the new size', () => /Esc clear/.test(shell.lines()[23] ?? ''), { describe: shell.screen })
  expect(shell.lines()[0]).toMatch(/^ Sessions/)
  shell.press(' by due')
  await shell.waitFor('/ sort the list by due')
})

test('one that was stopped from outside draws itself again when it goes on', async () => {
  const pid = childOfShell()
  process.kill(pid, 'SIGSTOP')
  await shell.waitFor(/Stopped/)
  const before = shell.raw().length
  shell.press('fg', 'enter')
  // Not by what stands there: that is what it had drawn before it was stopped.
  await waitUntil('the screen to be taken again', () => shell.raw().slice(before).includes('\u001b[?1049h'))
  await waitUntil('the whole screen', () => /^ Sessions/.test(shell.lines()[0] ?? ''), { describe: shell.screen })
  shell.press(' date')
  await shell.waitFor('/ sort the list by due date')
  shell.press('ctrl+q')
  await shell.waitFor(/READY\$\s*$/)
  expect(shell.isFullScreen()).toBe(false)
})

test('without a shell to go back to it goes on at once', async () => {
  const app = home.open()
  await app.waitFor('Due dates in plain words')
  const before = app.raw().length
  app.press('\u001a')
  await waitUntil('the screen to be taken again', () => app.raw().slice(before).includes('\u001b[?1049h'))
  app.press('?')
  await app.waitFor(/q +Leave offshoot/)
  app.press('ctrl+q')
  expect(await app.ended).toMatchObject({ exitCode: 0 })
})
