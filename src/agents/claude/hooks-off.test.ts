import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { whyHooksAreOff } from './hooks-off.ts'

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'offshoot-off-'))
})
afterEach(() => rmSync(home, { recursive: true }))

const files = {
  user: '.claude/settings.json',
  project: 'project/.claude/settings.json',
  local: 'project/.claude/settings.local.json',
  managed: 'managed/managed-settings.json',
  first: 'managed/managed-settings.d/10.json',
  second: 'managed/managed-settings.d/20.json',
}
type Files = Partial<Record<keyof typeof files, unknown>>
const why = async (texts: Files, root: string | null = 'project') => {
  for (const [name, value] of Object.entries(texts)) {
    const path = join(home, files[name as keyof typeof files])
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, typeof value === 'string' ? value : JSON.stringify(value))
  }
  const found = await whyHooksAreOff({ home, vars: {} }, root && join(home, root), join(home, 'managed'))
  return found?.replaceAll(`${home}/`, '') ?? null
}
const [off, on, only] = [{ disableAllHooks: true }, { disableAllHooks: false }, { allowManagedHooksOnly: true }]

// What the real Claude Code did with these very settings.
it.each<[string, Files]>([
  [files.user, { user: off }],
  [files.project, { project: off }],
  [files.local, { local: off }],
  [files.project, { user: on, project: off }],
  [files.managed, { managed: off, local: on }],
  [files.first, { first: off }],
  [files.managed, { managed: only }],
  [files.second, { second: only }],
  [files.user, { user: off, local: { disableAllHooks: 'x' } }],
])('switched off in %s: %j', async (file, texts) => {
  expect(await why(texts)).toContain(`is set in ${file}: `)
})

it.each<[Files]>([
  [{}],
  [{ user: off, project: on }],
  [{ user: off, local: on }],
  [{ project: off, local: on }],
  [{ managed: on, user: off }],
  [{ user: only }],
  [{ managed: { disableAllHooks: 'true' } }],
  [{ user: '{ // mine\n}', project: '[]', local: '' }],
])('not switched off: %j', async (texts) => {
  expect(await why(texts)).toBeNull()
})

it('a project that one does not stand in has no say, and one that has is named as what it is', async () => {
  expect(await why({ project: off }, null)).toBeNull()
  expect(await why({})).toContain('no hooks in this project')
})
