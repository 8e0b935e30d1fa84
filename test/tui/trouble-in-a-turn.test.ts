// Trouble in the middle of a turn: the terminal is closed, the agent dies, the disk is full. Nothing stays behind, nothing is lost,
// and what happened is said in words.
import { spawnSync } from 'node:child_process'
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isAlive } from '../../src/lib/is-alive.ts'
import { bin } from '../cli/run-cli.ts'
import { waitUntil } from '../real/lib/wait.ts'
import type { AppInPty } from './app-in-pty.ts'
import { makeTalkingAgent, type TalkingAgent } from './talking-agent.ts'
import { openDueDates, useHome } from './tui-home.ts'

const home = useHome()
const agents: TalkingAgent[] = []
let asItWas = ''

beforeAll(() => {
  asItWas = readFileSync(home.transcript, 'utf8')
})
afterAll(() => {
  for (const pid of agents.flatMap((agent) => agent.pids())) if (isAlive(pid)) process.kill(pid, 'SIGKILL')
})

interface Opened {
  readonly app: AppInPty
  readonly agent: TalkingAgent
}

function start(args: readonly string[] = [], through: readonly string[] = []): Opened {
  writeFileSync(home.transcript, asItWas)
  const agent = makeTalkingAgent(mkdtempSync(join(home.home, 'agent-')), home.transcript, home.vars.PATH ?? '')
  agents.push(agent)
  return { app: home.open({ args, through, env: agent.vars }), agent }
}

/** A process that was killed goes when it is its turn to run. */
const allEnded = (pids: readonly number[]) => waitUntil('the agent and what it started to end', () => !pids.some(isAlive))

async function begin({ app, agent }: Opened, prompt: string): Promise<readonly number[]> {
  app.press(prompt)
  await app.waitFor(`❯ ${prompt}`)
  app.press('enter')
  await app.waitFor(/● The answer begins/)
  expect(agent.pids().filter(isAlive)).toHaveLength(2)
  return agent.pids()
}

describe('the terminal goes away', () => {
  test('its window is closed: the UI ends, and the agent with all it started', async () => {
    const opened = start()
    await openDueDates(opened.app)
    const pids = await begin(opened, 'stall here')
    opened.app.close()
    await waitUntil('the UI to end', () => !isAlive(opened.app.pid))
    await allEnded(pids)
  })

  test('the same in plain lines', async () => {
    const { app, agent } = start(['--plain'])
    await app.waitFor(/Sessions>/)
    app.press('sort the list by due date', 'enter')
    await app.waitFor(/1\. Give every task a due date\. .* found at turn/)
    app.press('1', 'enter')
    await app.waitFor(/Claude>/)
    app.press('stall here', 'enter')
    await app.waitFor('Claude: The answer begins')
    const pids = agent.pids()
    expect(pids.filter(isAlive)).toHaveLength(2)
    app.close()
    await waitUntil('the UI to end', () => !isAlive(app.pid))
    await allEnded(pids)
  })

  test('a hangup that leaves the terminal there: it is given back as it was', async () => {
    const script = `'${process.execPath}' '${bin}'; echo "status=$?"; stty -a; read -r`
    const { app, agent } = start([], ['bash', '-c', script])
    await openDueDates(app)
    const pids = await begin({ app, agent }, 'stall here')
    const ui = Number(readFileSync(`/proc/${app.pid}/task/${app.pid}/children`, 'utf8').trim().split(' ')[0])
    process.kill(ui, 'SIGHUP')
    expect(await app.waitFor(/status=129[\s\S]* icanon[\s\S]* echo /)).toBeTruthy()
    expect(app.isFullScreen()).toBe(false)
    await allEnded(pids)
  })
})

test('the agent dies in mid-answer: why is told, prompt and half answer stay in sight, the next one works', async () => {
  const { app, agent } = start()
  await openDueDates(app)
  app.press('die here', 'enter')
  // The file was read again: it holds the prompt, and nothing of the answer.
  await app.waitFor(
    /4 turns[\s\S]*❯ die here\n\n● The answer begins\n\n {2}Cut off: Claude Code ended with status 7: out of luck\. Send it/,
  )
  expect(app.screen()).toMatch(/Send it again, or Alt\+O opens it in\s+Claude Code\./)
  app.press('and now', 'enter')
  await app.waitFor('The answer begins and ends: and now')
  await app.waitFor(/5 turns[\s\S]*● The answer begins\n\n {2}Cut off: .*out of luck\.\n\n❯ and now\n/)
  expect(app.screen().match(/❯ die here/g)).toHaveLength(1)
  app.press('die with half of it written', 'enter')
  await app.waitFor(/6 turns[\s\S]*❯ die with half of it written\n\n● The answer begins\n\n {2}Cut off: .* Send it/)
  expect(app.screen().match(/● The answer begins\n/g)).toHaveLength(2)
  app.press('ctrl+q')
  expect(await app.ended).toMatchObject({ exitCode: 0 })
  await allEnded(agent.pids())
})

const mount = ['-m', '-rm'].find((each) => spawnSync('unshare', [each, 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0)

describe.runIf(mount !== undefined)('the disk with the home of offshoot is full', () => {
  /** The UI in a world in which that folder is a disk of its own, and what fills it. */
  function startOnSmallDisk(): Opened & { fill(): void; clear(): void } {
    const folder = home.vars.OFFSHOOT_HOME ?? ''
    const script = `mkdir -p '${folder}' && mount -t tmpfs -o size=12m none '${folder}' && exec "$@"`
    const opened = start([], ['unshare', mount ?? '', 'sh', '-c', script, 'sh'])
    const filler = () => join(`/proc/${opened.app.pid}/root`, folder, 'filler')
    return {
      ...opened,
      fill() {
        let [bytes, written] = [1 << 20, 0]
        for (; bytes >= 1; bytes >>= 1) {
          for (;;) {
            try {
              appendFileSync(filler(), Buffer.alloc(bytes))
              written += bytes
            } catch {
              break // so much does not fit any more
            }
          }
        }
        expect(written).toBeGreaterThan(0)
      },
      clear: () => rmSync(filler()),
    }
  }

  test('in mid-turn: it is said in words, the answer stays in sight, the next prompt is kept until there is room', async () => {
    const small = startOnSmallDisk()
    const { app, agent } = small
    await openDueDates(app)
    await begin(small, 'wait for it')
    small.fill()
    agent.letGo()
    await app.waitFor(/The disk is full/)
    expect(app.screen()).toContain('❯ wait for it')
    await app.waitFor('● The answer begins and ends: wait for it')
    app.press('next one')
    await app.waitFor('❯ next one')
    app.press('enter')
    await app.waitFor(/The disk is full: offshoot cannot write to its database\. Free some space/)
    await app.waitFor('❯ next one')
    expect(app.isFullScreen()).toBe(true)
    small.clear()
    app.press('enter')
    await app.waitFor('● The answer begins and ends: next one')
    expect(readFileSync(home.transcript, 'utf8')).toContain('The answer begins and ends: wait for it')
    app.press('ctrl+q')
    expect(await app.ended).toMatchObject({ exitCode: 0 })
    await allEnded(agent.pids())
  })
})
