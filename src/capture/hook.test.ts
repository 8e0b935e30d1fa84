import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runHook } from './hook.ts'
import { hookLogPath, readHookLog } from './hook-log.ts'

test('a token in the name of a folder is redacted in the hook log', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'offshoot-hook-'))
  const token = ['gh', 'p_', 'aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zCaB3d'].join('')
  const home = join(folder, token)
  const root = join(home, '.offshoot')
  mkdirSync(root, { recursive: true })
  writeFileSync(join(root, 'config.toml'), 'snapshots = [\n')
  const payload = {
    hook_event_name: 'Stop',
    session_id: '00000000-0000-4000-8000-000000000000',
    cwd: home,
    transcript_path: join(home, 'x.jsonl'),
  }
  try {
    await runHook({
      args: ['claude'],
      vars: {},
      home,
      cwd: home,
      now: () => 0,
      stdin: async function* () {
        yield Buffer.from(JSON.stringify(payload))
      },
      followUp: () => undefined,
    })
    expect(readHookLog(root).map(({ problem }) => problem)).toEqual([expect.stringContaining('[redacted:github-token]')])
    expect(readFileSync(hookLogPath(root), 'utf8')).not.toContain(token)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
