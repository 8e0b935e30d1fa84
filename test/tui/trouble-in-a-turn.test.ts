// Trouble in the middle of a turn: the terminal is closed, the agent dies, the disk is full. Nothing stays behind, nothing is lost,
// and what happened is said in words.
import { spawnSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sampleIds } from '../../src/cli/demo/sample-sessions.ts'
import { bin, createFixture, type Fixture } from '../cli/run-cli.ts'
import { waitUntil } from '../real/lib/wait.ts'
import { type AppInPty, openApp } from './app-in-pty.ts'
import { makeTalkingAgent, type TalkingAgent } from './talking-agent.ts'

const open: AppInPty[] = []
const agents: TalkingAgent[] = []
let home: Fixture
let asItWas = ''

beforeAll(async () => {
  home = await createFixture()
  asItWas = readFileSync(transcript(), 'utf8')
})
afterAll(async () => {
  for (const app of open) if (isRunning(app.pid)) app.kill('SIGKILL')
  await Promise.all(open.map(({ ended }) => ended))
  for (const pid of agents.flatMap((agent) => agent.pids())) if (isRunning(pid)) process.kill(pid, 'SIGKILL')
  home.remove()
})

function isRunning(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false // there is no such process any more
  }
}

const transcript = () => {
  const projects = join(home.home, '.claude', 'projects')
  return join(projects, readdirSync(projects)[0] ?? '', `${sampleIds.dueDates}.jsonl`)
}

interface Opened {
  readonly app: AppInPty
  readonly agent: TalkingAgent
}

function start(args: readonly string[] = [], through: readonly string[] = []): Opened {
  const layout = join(home.vars.OFFSHOOT_HOME ?? '', 'tui.json')
  if (existsSync(layout)) rmSync(layout)
  writeFileSync(transcript(), asItWas)
  const agent = makeTalkingAgent(mkdtempSync(join(home.home, 'agent-')), transcript(), home.vars.PATH ?? '')
  agents.push(agent)
  const env = { ...home.vars, ...agent.vars, NO_COLOR: '1' }
  const argv = [...through, process.execPath, bin, ...args]
  const app = openApp({ columns: 100, rows: 30, cwd: home.repository, env, argv })
  open.push(app)
  return { app, agent }
}

async function openSession(app: AppInPty): Promise<void> {
  await app.waitFor('Due dates in plain words')
  app.press('/', 'sort the list by due date')
  await app.waitFor(/▌ .*Give every task a due date\./)
  app.press('enter')
  await app.waitFor(/ask Claude/)
}

/** A process that was killed goes when it is its turn to run. */
const allEnded = (pids: readonly number[]) => waitUntil('the agent and what it started to end', () => !pids.some(isRunning))

async function begin({ app, agent }: Opened, prompt: string): Promise<readonly number[]> {
  app.press(prompt)
  await app.waitFor(`❯ ${prompt}`)
  app.press('enter')
  await app.waitFor(/● The answer begins/)
  expect(agent.pids().filter(isRunning)).toHaveLength(2)
  return agent.pids()
}

describe('the terminal goes away', () => {
  test('its window is closed: the UI ends, and the agent with all it started', async () => {
    const opened = start()
    await openSession(opened.app)
    const pids = await begin(opened, 'stall here')
    opened.app.close()
    await waitUntil('the UI to end', () => !isRunning(opened.app.pid))
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
    expect(pids.filter(isRunning)).toHaveLength(2)
    app.close()
    await waitUntil('the UI to end', () => !isRunning(app.pid))
    await allEnded(pids)
  })

  test('a hangup that leaves the terminal there: it is given back as it was', async () => {
    const script = `'${process.execPath}' '${bin}'; echo "status=$?"; stty -a; read -r`
    const { app, agent } = start([], ['bash', '-c', script])
    await openSession(app)
    const pids = await begin({ app, agent }, 'stall here')
    const ui = Number(readFileSync(`/proc/${app.pid}/task/${app.pid}/children`, 'utf8').trim().split(' ')[0])
    process.kill(ui, 'SIGHUP')
    expect(await app.waitFor(/status=129[\s\S]* icanon[\s\S]* echo /)).toBeTruthy()
    expect(app.isFullScreen()).toBe(false)
    await allEnded(pids)
  })
})

test('the agent dies in mid-answer: why is told, the prompt stays in sight, the next one works', async () => {
  const { app, agent } = start()
  await openSession(app)
  app.press('die here', 'enter')
  await app.waitFor(/Claude Code ended with status 7: out of luck/)
  expect(app.screen()).toContain('❯ die here')
  app.press('and now', 'enter')
  await app.waitFor('The answer begins and ends: and now')
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
    await openSession(app)
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
    expect(readFileSync(transcript(), 'utf8')).toContain('The answer begins and ends: wait for it')
    app.press('ctrl+q')
    expect(await app.ended).toMatchObject({ exitCode: 0 })
    await allEnded(agent.pids())
  })
})
