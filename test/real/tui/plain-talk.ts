// The plain mode with a real agent: a prompt, a question answered in words, a turn stopped by Control C, and the talk goes on.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'vitest'
import type { AgentId } from '../../../src/model/session.ts'
import { bin } from '../../cli/run-cli.ts'
import { type AppInPty, openApp } from '../../tui/app-in-pty.ts'
import { waitUntil } from '../lib/wait.ts'
import { historyAt, type WorkerBench } from '../workers/worker-bench.ts'
import { makeSession } from './talk-and-fork.ts'

export function openPlain(bench: WorkerBench): AppInPty {
  const argv = [process.execPath, bin, '--plain']
  return openApp({ columns: 120, rows: 40, cwd: bench.claude.sandbox.work, env: bench.vars, argv })
}

export async function talkInPlainLines(bench: WorkerBench, agent: AgentId, app: AppInPty): Promise<void> {
  const id = await makeSession(bench, agent, 1)
  const name = agent === 'claude' ? 'Claude' : 'Codex'
  let read = 0
  const until = async (pattern: RegExp) => {
    const fits = () => (pattern.test(app.raw().slice(read)) ? app.raw().slice(read) : undefined)
    const text = await waitUntil(`${pattern}`, fits, { describe: app.raw })
    read += text.length
    return text
  }
  const say = (line: string, pattern: RegExp) => {
    app.press(line, 'enter')
    return until(pattern)
  }
  const ready = new RegExp(`\\n${name}> $`)
  await until(/\nSessions> $/)
  await say('/refresh', /1\. .*1 turn[\s\S]*\nSessions> $/)
  expect(await say('1', ready)).toMatch(new RegExp(`${name}: Answer (\\d+ )?to: First talk`))
  const answered = await say('Third talk', new RegExp(`${name} is done\\.[\\s\\S]*\\n${name}> $`))
  expect(answered.match(/Answer (\d+ )?to: Third talk/g)).toHaveLength(1)

  const file = join(bench.claude.sandbox.root, 'asked-for')
  const directive = agent === 'claude' ? `[[bash:touch ${file}]]` : `[[ask: touch ${file}]]`
  const asked = await say(`Do it ${directive}`, /\nAnswer> $/)
  expect(asked).toMatch(/Question: .* asks to use/)
  expect(existsSync(file)).toBe(false)
  await pause(800) // a question that has just come up does not take a line meant for what was there before
  expect(await say('yes', new RegExp(`${name} is done\\.[\\s\\S]*\\n${name}> $`))).toMatch(/Answer (\d+ )?to: Do it/)
  expect(existsSync(file)).toBe(true)

  await say('This hangs [[hang]]', /Sent to/)
  const { requests } = agent === 'claude' ? bench.claude.api : bench.codex.api
  await waitUntil('the prompt to be there', () => JSON.stringify(requests).includes('This hangs'))
  app.press('ctrl+c')
  await until(new RegExp(`Stopped\\.[\\s\\S]*\\n${name}> $`))
  await say('Goes on', new RegExp(`Answer (\\d+ )?to: Goes on[\\s\\S]*\\n${name}> $`))
  expect(historyAt(bench, agent, id, 'Goes on')).toContain('user: Third talk')
  app.press('\u0004')
  expect(await app.ended).toMatchObject({ exitCode: 0 })
  expect(app.raw()).not.toContain('\u001b')
}
