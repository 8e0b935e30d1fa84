// Every test file gets an empty home folder of its own: nothing a test does, by mistake or by a default, can reach the
// sessions, settings or git configuration of the person who runs the tests.
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { removeFolder } from './remove-folder.ts'

const home = mkdtempSync(join(tmpdir(), 'offshoot-test-home-'))

for (const name of Object.keys(process.env)) {
  if (/^(CLAUDE|CODEX|OFFSHOOT_(?!MATRIX)|ANTHROPIC|OPENAI|GIT_|XDG_|NO_COLOR|FORCE_COLOR)/.test(name)) delete process.env[name]
}
Object.assign(process.env, {
  HOME: home,
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'Test',
  GIT_AUTHOR_EMAIL: 'test@example.invalid',
  GIT_COMMITTER_NAME: 'Test',
  GIT_COMMITTER_EMAIL: 'test@example.invalid',
})

afterAll(() => removeFolder(home))
