// A seed that is interrupted: the agent ends with offshoot, and nothing is left.
import { spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isAlive } from '../../src/lib/is-alive.ts'
import { waitUntil } from '../real/lib/wait.ts'
import { bin, createFixture } from './run-cli.ts'

test('Ctrl-C ends the agent that reads the seed, and the fork is taken back', async () => {
  const home = await createFixture()
  try {
    const folder = join(home.home, 'agents')
    const pids = join(home.home, 'pids')
    mkdirSync(folder)
    writeFileSync(
      join(folder, 'claude'),
      `#!/bin/bash\nif [ "$1" = --version ]; then echo '2.1.325 (Claude Code)'; exit 0; fi\nsleep 600 &\necho "$$ $!" > '${pids}'\nwait\n`,
    )
    chmodSync(join(folder, 'claude'), 0o755)
    const env = { ...home.vars, PATH: `${folder}:${home.vars.PATH}` }
    const args = ['fork', 'claude:60309e1e', '--at', '1', '--strategy', 'seed', '--code', 'head', '--yes']
    const child = spawn(process.execPath, [bin, ...args], { cwd: home.repository, env, stdio: 'pipe' })
    const status = new Promise<number | null>((resolve) => child.on('close', resolve))
    const [agent = 0, shell = 0] = await waitUntil('the agent', () => {
      const text = existsSync(pids) ? readFileSync(pids, 'utf8') : ''
      return text.endsWith('\n') ? text.trim().split(' ').map(Number) : undefined
    })
    child.kill('SIGINT')
    expect(await status).toBe(130)
    await waitUntil('the end of both', () => !isAlive(agent) && !isAlive(shell))
    await home.run(['doctor', '--fix'])
    expect(readdirSync(join(home.home, '.offshoot', 'seeds'))).toEqual([])
    const undo = await home.run(['undo'])
    expect(undo).toMatchObject({ status: 3, stderr: expect.stringContaining('There is no fork to undo') })
  } finally {
    home.remove()
  }
})
