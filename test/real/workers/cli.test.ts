// Workers on the command line, with the real Claude Code in a real tmux: every verb as a person types it.
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { followUpsEnded } from '../../capture/follow-ups.ts'
import { bin } from '../../cli/run-cli.ts'
import { endTree } from '../lib/processes.ts'
import { waitUntil } from '../lib/wait.ts'
import { createWorkerBench } from './worker-bench.ts'

interface WorkerJson {
  readonly name: string
  readonly state: string
  readonly session_id: string
  readonly forked_from: string | null
  readonly terminal_id: string | null
  readonly last_input: string | null
}

test('start, workers, send, fork, attach, stop', { timeout: 240_000 }, async () => {
  if (!existsSync(join(bin, '..', '..', 'dist', 'cli', 'main.js'))) throw new Error('build first: npm run build')
  const bench = await createWorkerBench()
  const { sandbox } = bench.claude
  const env = { ...bench.vars, TMUX_TMPDIR: sandbox.folder('sockets') }
  const run = async (...args: string[]) =>
    sandbox.processes.run([process.execPath, bin, ...args], { cwd: sandbox.work, env, timeoutMs: 120_000 })
  const workers = async () => (JSON.parse((await run('workers', '--json')).stdout) as { workers: WorkerJson[] }).workers
  const idle = (name: string) =>
    waitUntil(`${name} to be idle`, async () => (await workers()).find((each) => each.name === name && each.state === 'idle'))
  try {
    const none = await run('workers')
    expect(none).toMatchObject({ code: 0, stdout: '' })
    expect(none.stderr).toContain('offshoot start claude --terminal tmux')

    const started = await run('start', 'claude', 'First', '--terminal', 'tmux', '--name', 'fixer', '--env', 'MY_TOKEN=hush')
    expect(started, started.stderr).toMatchObject({ code: 0 })
    expect(started.stdout).toContain('Worker: fixer')
    expect(started.stdout).toContain('offshoot attach fixer')
    const fixer = await idle('fixer')
    expect(fixer.last_input).toBe('First')
    expect((await run('workers')).stdout).toMatch(/fixer +claude:[0-9a-f]{8} +tmux %\d+ .*idle/)
    expect((await run('workers', '--json')).stdout).not.toContain('hush')

    const sent = await run('send', 'fixer', 'Second; please')
    expect(sent, sent.stderr).toMatchObject({ code: 0, stdout: 'Answer to: Second; please\n' })
    const shown = await run('show', 'worker:fixer@last', '--json')
    expect(shown.stdout).toContain('Second; please')
    expect(await run('send', 'fixxer', 'x')).toMatchObject({ code: 3, stderr: expect.stringContaining('Did you mean fixer?') })
    expect(await run('send', 'fixer', ' ')).toMatchObject({ code: 2 })
    expect(await run('send', 'fixer', '/exit')).toMatchObject({ code: 2 })

    const forked = await run('fork', 'worker:fixer', 'second-try', '--prompt', 'Otherwise', '--send', '--json')
    expect(forked.code, forked.stderr).toBe(0)
    const { worker } = JSON.parse(forked.stdout) as { worker: WorkerJson }
    expect(worker).toMatchObject({ name: 'second-try', session_id: expect.not.stringMatching(fixer.session_id) })
    await idle('second-try')
    expect(await run('fork', 'worker:fixer', 'second-try')).toMatchObject({ code: 4, stderr: expect.stringContaining('already') })

    const third = await run(
      'fork',
      `claude:${fixer.session_id}`,
      '--at',
      '1',
      '--terminal',
      'tmux',
      '--name',
      'third',
      '--prompt',
      'Third way',
      '--send',
      '--yes',
      '--json',
    )
    expect(third.code, third.stderr).toBe(0)
    const document = JSON.parse(third.stdout) as { fork: { terminal_id: string; session_id: string }; worker: WorkerJson }
    expect(document.fork).toMatchObject({ terminal_id: document.worker.terminal_id, session_id: document.worker.session_id })
    await idle('third')
    const request = await bench.claude.api.waitForPrompt('Third way')
    expect(JSON.stringify(request.messages)).not.toContain('Second; please')

    const attach = await run('attach', 'third')
    expect(attach.stdout).toMatch(/tmux .*attach/)
    expect((await run('__complete', '--', 'send', 'th')).stdout).toMatch(/^third\t/)

    const quiet = await run('start', 'claude', 'Say it', '--headless', '--name', 'quiet')
    expect(quiet, quiet.stderr).toMatchObject({ code: 0 })
    expect(quiet.stdout).toContain('Answer to: Say it')
    const piped = await sandbox.processes.run([process.execPath, bin, 'send', 'quiet', '-'], {
      cwd: sandbox.work,
      env,
      input: 'From a pipe\n',
    })
    expect(piped, piped.stderr).toMatchObject({ code: 0, stdout: 'Answer to: From a pipe\n' })
    expect(await run('attach', 'quiet')).toMatchObject({ code: 2 })
    const file = join(sandbox.root, 'asked-for')
    const asked = await run('send', 'quiet', `Do it [[bash:touch ${file}]]`)
    expect(asked.stderr).toContain('Nobody can be asked here: refused')
    expect(existsSync(file)).toBe(false)

    const stopped = await run('stop', 'third', 'quiet', 'second-try')
    expect(stopped, stopped.stderr).toMatchObject({ code: 0 })
    expect(stopped.stdout).toMatch(/^third: stopped/)
    expect((await workers()).map(({ name }) => name)).toEqual(['fixer'])
    expect((await run('workers', '--all')).stdout).toContain('third')
  } finally {
    try {
      const pid = execFileSync('tmux', ['-L', 'default', 'display-message', '-p', '#{pid}'], {
        env,
        encoding: 'utf8',
        stdio: 'pipe',
      })
      endTree(Number(pid))
    } catch {
      // it was never started, or has ended with its last pane
    }
    await followUpsEnded(bench.vars.OFFSHOOT_HOME ?? '')
    await bench.dispose()
  }
})
