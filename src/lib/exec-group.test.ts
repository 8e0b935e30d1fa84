import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createExecGroup } from './exec-group.ts'

let cwd: string
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'offshoot-exec-'))
})
afterEach(() => rmSync(cwd, { recursive: true, force: true }))
const env = { PATH: process.env.PATH }

describe('programs run as a group', () => {
  it('give what they wrote, with just the environment they were given', async () => {
    const { exec } = createExecGroup()
    const options = { cwd, env: { ...env, A: 'é' }, timeoutMs: 10_000, input: 'in' }
    expect(await exec('sh', ['-c', 'cat; echo "$A$HOME"; echo err >&2; exit 3'], options)).toEqual({
      stdout: 'iné\n',
      stderr: 'err\n',
      exitCode: 3,
      missing: false,
      timedOut: false,
    })
    expect(await exec('no-such-program', [], options)).toMatchObject({ exitCode: null, missing: true })
    const bytes = await exec('cat', [], { ...options, input: '\xff\x00\xfe', encoding: 'latin1' })
    expect(bytes.stdout).toBe('\xff\x00\xfe')
  })

  it('end with all they started, when told and when their time is over', async () => {
    for (const how of ['told', 'time'] as const) {
      const group = createExecGroup()
      const pidFile = join(cwd, how)
      const script = `sh -c 'echo $$ > ${how}.part; mv ${how}.part ${how}; exec sleep 300' & wait`
      // On a busy machine its time may be over before it has begun: then it gets more.
      for (let timeoutMs = how === 'time' ? 250 : 60_000; !existsSync(pidFile); timeoutMs *= 2) {
        let isOver = false
        const running = group.exec('sh', ['-c', script], { cwd, env, timeoutMs }).finally(() => {
          isOver = true
        })
        while (!existsSync(pidFile) && !isOver) await sleep(5)
        if (how === 'told') group.kill()
        expect(await running).toMatchObject({ timedOut: true })
      }
      const pid = Number(readFileSync(pidFile, 'utf8'))
      const isAlive = () => {
        try {
          // A zombie still answers to signals where nobody reaps it; its state tells.
          return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
        } catch {
          return false
        }
      }
      while (isAlive()) await sleep(5)
      expect(isAlive()).toBe(false)
    }
  })

  it('are not started any more once it is over', async () => {
    const group = createExecGroup()
    group.kill()
    expect(await group.exec('touch', ['x'], { cwd, env, timeoutMs: 1000 })).toMatchObject({ timedOut: true })
    expect(existsSync(join(cwd, 'x'))).toBe(false)
  })
})
