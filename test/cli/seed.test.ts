// Seeds from the command line: what has to be accepted without a terminal, and one that is interrupted.
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

test('without a terminal a seed that fills the window, or costs more than is set, needs --accept or --yes', async () => {
  const home = await createFixture()
  try {
    const folder = join(home.home, 'agents')
    mkdirSync(folder)
    // Fails as soon as it is given the seed: then the plan was accepted.
    const program = `#!/bin/bash\nif [ "$1" = --version ]; then echo '2.1.325 (Claude Code)'; exit 0; fi\necho out of order >&2\nexit 3\n`
    writeFileSync(join(folder, 'claude'), program, { mode: 0o755 })
    const env = { PATH: `${folder}:${home.vars.PATH}` }
    const fork = (...args: string[]) =>
      home.run(['fork', 'claude:60309e1e', '--at', '1', '--strategy', 'seed', '--code', 'head', ...args], { env })
    const { plan } = JSON.parse((await fork('--dry-run', '--json')).stdout) as {
      plan: { model: string; tokens: { estimate: number }; cost: { uncached: number } }
    }
    const configure = (text: string) => writeFileSync(join(home.vars.OFFSHOOT_HOME ?? '', 'config.toml'), text)
    const model = JSON.stringify(plan.model)
    for (const [code, text] of [
      ['context_high', `[models.${model}]\ncontext_window = ${Math.floor(plan.tokens.estimate / 0.85)}\n`],
      ['price_high', `[models.${model}]\ninput = 1000\n[fork]\nmax_price = 0.0001\n`],
    ] as const) {
      configure(text)
      const refused = await fork()
      expect(refused).toMatchObject({ status: 4, stderr: expect.stringContaining(code) })
      expect(refused.stderr).toContain('--yes')
      for (const accepted of [['--accept', code, '--accept', 'dirty'], ['--yes']]) {
        expect(await fork(...accepted)).toMatchObject({ status: 1, stderr: expect.stringContaining('out of order') })
      }
    }
  } finally {
    home.remove()
  }
})
