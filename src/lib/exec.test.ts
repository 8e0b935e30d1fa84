import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { exec } from './exec.ts'
import { createExecGroup } from './exec-group.ts'

const node = process.execPath
const options = { cwd: tmpdir(), env: { PATH: process.env.PATH }, timeoutMs: 20_000 }

describe('exec', () => {
  it('gives output and exit status', async () => {
    const result = await exec(node, ['-e', 'console.log("out"); console.error("err"); process.exitCode = 3'], options)
    expect(result).toEqual({ stdout: 'out\n', stderr: 'err\n', exitCode: 3, missing: false, timedOut: false })
  })

  it('passes the given environment and nothing of its own', async () => {
    process.env.OFFSHOOT_EXEC_TEST = 'leaked'
    try {
      const script = 'console.log(JSON.stringify([process.env.OFFSHOOT_EXEC_TEST ?? null, process.env.GIVEN]))'
      const result = await exec(node, ['-e', script], { ...options, env: { ...options.env, GIVEN: 'yes' } })
      expect(JSON.parse(result.stdout)).toEqual([null, 'yes'])
    } finally {
      delete process.env.OFFSHOOT_EXEC_TEST
    }
  })

  it('says that a program is missing', async () => {
    const result = await exec('no-such-program-here', [], options)
    expect(result).toMatchObject({ missing: true, exitCode: null, timedOut: false })
  })

  it.each([
    ['exec', exec],
    ['an exec group', createExecGroup().exec],
  ])('%s reports an argument that Node refuses', async (_, run) => {
    const result = await run(node, ['-e', '\0'], options)
    expect(result).toMatchObject({ exitCode: null, missing: false, stderr: expect.stringContaining('null bytes') })
  })

  it('ends a program that takes too long, even when a grandchild keeps the pipe open', async () => {
    const script = `require('node:child_process').spawn(process.execPath, ['-e', 'setTimeout(() => {}, 3000)'], { stdio: 'inherit' })
      setTimeout(() => {}, 60000)`
    const result = await exec(node, ['-e', script], { ...options, timeoutMs: 300 })
    expect(result).toMatchObject({ timedOut: true, exitCode: null })
  })

  // Elsewhere nothing tells whether a process works.
  it.runIf(existsSync('/proc/self/stat'))('ends a git process that waits for a pipe', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'offshoot-exec-'))
    try {
      execFileSync('mkfifo', [join(folder, 'pipe')])
      const args = ['config', '--file', join(folder, 'pipe'), '--list']
      const result = await exec('git', args, { ...options, idleMs: 500 })
      expect(result).toEqual({ stdout: '', stderr: '', exitCode: null, missing: false, timedOut: true, stuck: true })
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  it('does not end a program that git waits for', async () => {
    const alias = ['-c', 'alias.wait=!sleep 2; echo done', 'wait']
    expect(await exec('git', alias, { ...options, idleMs: 500 })).toMatchObject({ stdout: 'done\n', exitCode: 0 })
  })

  it('keeps characters that lie across two chunks', async () => {
    const text = 'ü€😀'.repeat(100_000)
    const result = await exec(node, ['-e', 'process.stdin.pipe(process.stdout)'], { ...options, input: text })
    expect(result.stdout === text).toBe(true)
  })

  it('keeps every byte as latin1', async () => {
    const bytes = String.fromCharCode(...Array.from({ length: 256 }, (_, byte) => byte))
    const result = await exec(node, ['-e', 'process.stdin.pipe(process.stdout)'], {
      ...options,
      input: bytes,
      encoding: 'latin1',
    })
    expect(result.stdout).toBe(bytes)
  })

  it('survives a program that does not read its input', async () => {
    const result = await exec(node, ['-e', 'process.exit(7)'], { ...options, input: 'x'.repeat(5_000_000) })
    expect(result.exitCode).toBe(7)
  })

  it('hands over input', async () => {
    const result = await exec(node, ['-e', 'process.stdin.pipe(process.stdout)'], { ...options, input: 'words' })
    expect(result.stdout).toBe('words')
  })
})
